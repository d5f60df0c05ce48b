import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The answer of a DNS server: addresses, `none`, or no answer at all. */
export type DnsAnswer = string[] | 'none' | 'silence'

/** Starts a DNS server on loopback. Returns its address in the format of resolvers. */
export async function startDnsServer(answer: (name: string, family: 4 | 6) => DnsAnswer | Promise<DnsAnswer>) {
  const socket = createSocket('udp4')
  socket.on('message', async (query, peer) => {
    const end = query.indexOf(0, headerBytes) + 1
    const family = query.readUInt16BE(end) === typeOf(4) ? 4 : 6
    const found = await answer(nameIn(query.subarray(headerBytes, end)), family)
    if (found !== 'silence') socket.send(answerTo(query.subarray(0, end + 4), family, found), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, stop: () => void socket.close() }
}

const headerBytes = 12
const typeOf = (family: 4 | 6) => (family === 4 ? 1 : 28)

function nameIn(labels: Buffer): string {
  const names: string[] = []
  for (let at = 0; labels[at]; at += labels[at]! + 1)
    names.push(labels.toString('latin1', at + 1, at + 1 + labels[at]!))
  return names.join('.')
}

/** Repeats the question and adds a record for each address. */
function answerTo(question: Buffer, family: 4 | 6, found: Exclude<DnsAnswer, 'silence'>): Buffer {
  const head = Buffer.from(question)
  const addresses = found === 'none' ? [] : found
  head.writeUInt16BE(found === 'none' ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map(address => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    // A pointer to the name, its type, class IN, a TTL of zero, and the address.
    return Buffer.from([0xc0, headerBytes, 0, typeOf(family), 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
  })
  return Buffer.concat([head, ...records])
}
