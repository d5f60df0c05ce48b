import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { secret } from '@cobro/runtime'
import { expired, testAuthority, trustedAuthority } from '@cobro/testing/test-certificates'
import { httpAcquirer } from '../src/index.ts'

const key = 'pi_01jd0000000000000000000000:1'
const request = { key, token: 'tok_secret', amount_cents: 25_000, currency: 'MXN' }
const approved = { key, status: 'approved', reference: 'ref_1', response_code: '00', risk_score: 10 }

const authority = trustedAuthority()

/** Charges a card at an acquirer with a certificate. Returns the outcome, and how many requests arrived. */
async function chargeAt(certificate: { cert: string; key: string }) {
  let requests = 0
  const server = createServer(certificate, (_request, response) => {
    requests += 1
    response.setHeader('content-type', 'application/json').end(JSON.stringify(approved))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}`
  const acquirer = httpAcquirer({ url, apiKey: secret('acq_secret'), timeoutMs: 60_000, findDelaysMs: [0, 20] })
  const { status } = await acquirer.charge(request)
  await acquirer.close()
  server.closeAllConnections()
  await new Promise(resolve => server.close(resolve))
  return { status, requests }
}

test('charges an acquirer with https', async () => {
  expect(await chargeAt(await authority.issue('localhost'))).toEqual({ status: 'approved', requests: 1 })
})

test.each([
  ['expired', () => authority.issue('localhost', expired)],
  ['from a foreign authority', async () => (await testAuthority('Foreign')).issue('localhost')],
  ['of another host', () => authority.issue('elsewhere')],
])('a charge to an acquirer whose certificate is %s is not sent, and known not to be', async (_what, issue) => {
  const { status, requests } = await chargeAt(await issue())
  expect(requests).toBe(0)
  expect(status).toBe('failed')
})
