import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { seededRandom } from '@cobro/testing/seeded-random'
import { type GatewayWorld, gatewayUnderTest, recordOf, send } from './gateway-world.ts'

const seed = Number(process.env.COBRO_TEST_SEED ?? 20260727)
const connections = Number(process.env.COBRO_TEST_CONNECTIONS ?? 300)
const atOnce = 30

let world: GatewayWorld
beforeAll(async () => {
  world = await gatewayUnderTest()
})
afterAll(() => world.stop())

const crlf = '\r\n'
/** Parts of valid and invalid requests. A connection sends some of them, cut anywhere. */
function pieces(): string[] {
  const path = '/checkout/v1/sessions'
  const known = `Host: a${crlf}X-API-Key: ${world.azul.key}${crlf}`
  const post = `POST ${path} HTTP/1.1${crlf}${known}`
  return [
    `GET /health HTTP/1.1${crlf}Host: a${crlf}${crlf}`,
    `GET /api/transactions/${newId('txn')} HTTP/1.1${crlf}${known}${crlf}`,
    `${post}Content-Length: 2${crlf}${crlf}{}`,
    `${post}Content-Length: 20${crlf}${crlf}{`,
    `${post}Transfer-Encoding: chunked${crlf}${crlf}2${crlf}{}${crlf}0${crlf}${crlf}`,
    `${post}Transfer-Encoding: chunked${crlf}${crlf}ZZ${crlf}`,
    `${post}Expect: 100-continue${crlf}Content-Length: 2${crlf}${crlf}`,
    `${post}Expect: 200-ok${crlf}Content-Length: 0${crlf}${crlf}`,
    `CONNECT evil.test:443 HTTP/1.1${crlf}Host: a${crlf}${crlf}`,
    `GET /health HTTP/1.1${crlf}Host: a${crlf}Connection: Upgrade${crlf}Upgrade: websocket${crlf}${crlf}`,
    `OPTIONS * HTTP/1.1${crlf}Host: a${crlf}${crlf}`,
    `GET /health HTTP/1.1${crlf}${crlf}`,
    `GET /health HTTP/1.0${crlf}${crlf}`,
    `NONSENSE${crlf}${crlf}`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1${crlf}`,
    `X-${'a'.repeat(9_000)}: 1${crlf}`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    crlf,
    '\0',
  ]
}

const endings: ((socket: Socket) => void)[] = [
  socket => void socket.resetAndDestroy(),
  socket => void socket.destroy(),
  socket => void socket.end(),
  socket => void socket.end('GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
]

/** Sends some parts, disconnects, and returns what was received. */
async function converse(random: () => number): Promise<string> {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const text = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(pieces())).join('')
  const cuts = [0, ...Array.from({ length: Math.floor(random() * 3) }, () => Math.floor(random() * text.length))]
  const socket = connect(world.port, '127.0.0.1').on('error', () => undefined)
  let received = ''
  socket.on('data', data => {
    received += data.toString('latin1')
  })
  await once(socket, 'connect')
  for (const [index, from] of cuts.toSorted((a, b) => a - b).entries()) {
    socket.write(Buffer.from(text.slice(from, cuts.toSorted((a, b) => a - b)[index + 1]), 'latin1'))
    await sleep(random() * 4)
  }
  const closed = once(socket, 'close')
  // Half of the connections wait for a response first.
  if (random() < 0.5) await Promise.race([once(socket, 'data'), closed, sleep(1_000, undefined, { ref: false })])
  pick(endings)(socket)
  await Promise.race([closed, sleep(250, undefined, { ref: false })])
  socket.destroy()
  return received
}

test(`survives ${connections} hostile connections and records each response once (seed ${seed})`, async () => {
  const random = seededRandom(seed)
  const answers: string[] = []
  let left = connections
  const heads = () => answers.flatMap(text => text.match(/HTTP\/1\.1 (?!100)\d{3} [\s\S]*?\r\n\r\n/g) ?? [])
  const client = async () => {
    // On a busy machine more clients leave before their response, so there are up to twice as many.
    while (left-- > 0 || (left > -connections && heads().length <= connections / 4))
      answers.push(await converse(random))
  }
  await Promise.all(Array.from({ length: atOnce }, client))

  const last = await send(world.url, '/.well-known/jwks.json')
  expect(last.status).toBe(200)
  await recordOf(world, last.requestId)
  expect(heads().length).toBeGreaterThan(connections / 4)
  const ids = heads().map(head => /^x-request-id: (req_\w+)/im.exec(head)?.[1])
  expect(ids.filter(id => id === undefined)).toEqual([])
  const records = () =>
    world.tap.messages.filter(({ name }) => name === 'http.request').map(record => record.request_id)
  await waitFor(() => ids.every(id => records().includes(id as string)))
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(records()).size).toBe(records().length)
})
