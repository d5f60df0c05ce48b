import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ApiError } from '@cobro/contracts'
import { expired, testAuthority, trustedAuthority } from '@cobro/testing/test-certificates'
import { sendUpstream } from '../src/forward/send-upstream.ts'
import { openUpstreams } from '../src/forward/upstreams.ts'

const authority = trustedAuthority()
let server: Server
beforeAll(async () => {
  server = createServer(await authority.issue('localhost'), (_request, response) => response.end('done'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
})

/** Opens upstreams that are all the one server. */
function open() {
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const urls = { checkout: url, transactions: url, 'webhooks-dispatcher': url, 'audit-log': url }
  const upstreams = openUpstreams({ urls, timeoutMs: 5_000 })
  const call = async () => {
    const options = { method: 'GET', path: '/' } as const
    const { body } = await sendUpstream(() => upstreams.request('checkout', options), { reads: true })
    return body.text()
  }
  return { call, close: upstreams.close }
}

test('the gateway calls services with https', async () => {
  const { call, close } = open()
  expect(await call()).toBe('done')
  await close()
})

test.each([
  ['expired', () => authority.issue('localhost', expired)],
  ['from a foreign authority', async () => (await testAuthority('Foreign')).issue('localhost')],
  ['of another host', () => authority.issue('elsewhere')],
])('a service whose certificate is %s is unavailable', async (_what, issue) => {
  server.setSecureContext(await issue())
  const { call, close } = open()
  const error = await call().catch(failure => failure)
  expect(error).toBeInstanceOf(ApiError)
  expect(error.code).toBe('unavailable')
  await close()
})

test('calls continue after a service rotated its certificate, and after one that had expired', async () => {
  server.setSecureContext(await authority.issue('localhost'))
  const { call, close } = open()
  expect(await call()).toBe('done')
  server.setSecureContext(await authority.issue('localhost', expired))
  server.closeAllConnections()
  await expect(call()).rejects.toMatchObject({ code: 'unavailable' })
  server.setSecureContext(await authority.issue('localhost'))
  expect(await call()).toBe('done')
  await close()
})
