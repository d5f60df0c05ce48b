import { connect, type Socket } from 'node:net'
import { newId } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { type GatewayWorld, gatewayUnderTest, send, token } from './gateway-world.ts'

let world: GatewayWorld
const open = new Set<Socket>()
beforeAll(async () => {
  world = await gatewayUnderTest()
})
beforeEach(() => world.upstream.reset())
afterEach(() => {
  for (const socket of open) socket.destroy()
  open.clear()
})
afterAll(() => world.stop())

const crowd = 400
const session = newId('cs')
const hosted = `/hosted/v1/checkout/${session}`

/** Opens a connection, sends only `text` and collects the response. */
function halfCall(text: string): { answer: string; closed: boolean } {
  const state = { answer: '', closed: false }
  const socket = connect(world.port, '127.0.0.1', () => socket.write(text))
  open.add(socket)
  socket.on('data', data => {
    state.answer += data
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    state.closed = true
  })
  return state
}

const others = async () => {
  const calls = Array.from({ length: 20 }, (_, i) =>
    i % 2
      ? send(world.url, hosted)
      : send(world.url, '/checkout/v1/sessions', { headers: token(world.azul.key), body: {} }),
  )
  return new Set((await Promise.all(calls)).map(answer => answer.status))
}

test(`${crowd} payers who never finish their bodies do not block other calls to the service`, async () => {
  let begun = 0
  world.upstream.onHead = () => begun++
  const head = `POST ${hosted}/payments HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
  const slow = Array.from({ length: crowd }, () => halfCall(head))
  await waitFor(() => begun >= 200)
  expect([...(await others())]).toEqual([200])
  // None of the slow requests had to end first.
  expect(slow.filter(({ closed }) => closed)).toEqual([])
})
