import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What a name server says of a name and a family: addresses, `none`, or nothing at all. */
export type Said = string[] | 'none' | 'silence'

/** A name server on loopback. Gives its address as resolvers take it. */
export async function startNameServer(say: (name: string, family: 4 | 6) => Said | Promise<Said>) {
  const socket = createSocket('udp4')
  socket.on('message', async (query, peer) => {
    const end = query.indexOf(0, headerBytes) + 1
    const family = query.readUInt16BE(end) === typeOf(4) ? 4 : 6
    const said = await say(nameIn(query.subarray(headerBytes, end)), family)
    if (said !== 'silence') socket.send(answerTo(query.subarray(0, end + 4), family, said), peer.port, peer.address)
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

/** The question again, and a record for each address. */
function answerTo(question: Buffer, family: 4 | 6, said: Exclude<Said, 'silence'>): Buffer {
  const head = Buffer.from(question)
  const addresses = said === 'none' ? [] : said
  head.writeUInt16BE(said === 'none' ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map(address => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    // The name as above, its type, class IN, no time to live, and the address.
    return Buffer.from([0xc0, headerBytes, 0, typeOf(family), 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes])
  })
  return Buffer.concat([head, ...records])
}
