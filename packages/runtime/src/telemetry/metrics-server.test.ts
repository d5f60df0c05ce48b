import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { createMetricsServer, isPrivateAddress } from './metrics-server.ts'

async function statusOf(token: string | undefined, path: string, init: RequestInit = {}): Promise<number> {
  const server = createMetricsServer((_request, response) => void response.end('metrics'), token)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init)
  server.closeAllConnections()
  server.close()
  return status
}

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:10.1.2.3', true],
  ['192.168.1.1', true],
  ['172.16.0.1', true],
  ['100.64.0.1', true],
  ['169.254.1.1', true],
  ['fe80::1', true],
  ['fd00::1', true],
  ['203.0.113.1', false],
  ['8.8.8.8', false],
  ['::ffff:8.8.8.8', false],
  ['2606:4700::1111', false],
  ['172.32.0.1', false],
  ['', false],
  [undefined, false],
])('the address %s is private: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected)
})

test('without a token a private address may read the metrics, and nothing else is served', async () => {
  expect(await statusOf(undefined, '/metrics')).toBe(200)
  expect(await statusOf(undefined, '/metrics?a=1')).toBe(200)
  expect(await statusOf(undefined, '/')).toBe(404)
  expect(await statusOf(undefined, '/metrics', { method: 'POST' })).toBe(405)
})

test('without a token an address that is not private may not read the metrics', () => {
  const server = createMetricsServer((_request, response) => void response.end('metrics'), undefined)
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '203.0.113.1' })
  const request = Object.assign(new IncomingMessage(socket), { url: '/metrics', method: 'GET' })
  const response = new ServerResponse(request)
  server.emit('request', request, response)
  expect(response.statusCode).toBe(403)
})

test('with a token the metrics need it, also from a private address', async () => {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  expect(await statusOf('right', '/metrics', bearer('right'))).toBe(200)
  expect(await statusOf('right', '/metrics')).toBe(401)
  for (const wrong of ['wrong', '', 'rightt']) expect(await statusOf('right', '/metrics', bearer(wrong))).toBe(401)
})
