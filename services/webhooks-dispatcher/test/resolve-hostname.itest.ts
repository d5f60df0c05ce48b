import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '@cobro/testing'
import { checkWebhookUrl } from '../src/ssrf-guard/check-webhook-url.ts'
import { openHostnameResolver, type ResolveHostname } from '../src/ssrf-guard/resolve-hostname.ts'
import { type DnsAnswer, startDnsServer } from './dns-server.ts'

const v4 = '93.184.215.14'
const v6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'
const dnsAnswers: Record<string, Record<4 | 6, DnsAnswer>> = {
  'both.example': { 4: [v4], 6: [v6] },
  'four.example': { 4: [v4], 6: 'none' },
  'silent-six.example': { 4: [v4], 6: 'silence' },
  'silent-four.example': { 4: 'silence', 6: [v6] },
  'inside.example': { 4: ['127.0.0.1'], 6: 'silence' },
  'late-six.example': { 4: 'none', 6: [v6] },
  'none.example': { 4: 'none', 6: 'none' },
}

let servers: Awaited<ReturnType<typeof startDnsServer>>[]
let resolve: ResolveHostname
beforeAll(async () => {
  const start = () =>
    startDnsServer(async (name, family) => {
      if (name === 'late-six.example' && family === 6) await pause(400)
      return dnsAnswers[name]?.[family] ?? 'none'
    })
  servers = [await start(), await start()]
  resolve = openHostnameResolver(servers.map(server => server.address))
})
afterAll(() => {
  for (const server of servers) server.stop()
})

test.each([
  ['both.example', [v4, v6]],
  ['four.example', [v4]],
  ['late-six.example', [v6]],
])('%s resolves to its addresses in IPv4 and IPv6', async (name, addresses) => {
  expect((await resolve(name)).sort()).toEqual(addresses.sort())
})

test.each([
  ['silent-six.example', [v4]],
  ['silent-four.example', [v6]],
])(
  '%s, for which both name servers answer one address family only, resolves in time to connect',
  async (name, addresses) => {
    // On a busy machine some take longer.
    await waitFor(async () => {
      const startedAt = performance.now()
      expect(await resolve(name)).toEqual(addresses)
      return performance.now() - startedAt < 1_500
    })
  },
)

test('resolving a hostname without addresses fails', async () => {
  await expect(resolve('none.example')).rejects.toThrow('none.example has no address')
})

test('a webhook URL that resolves to a private IPv4 address is rejected, even if the IPv6 query is never answered', async () => {
  const rules = { httpsOnly: true, allowPrivate: false }
  // A URL that does not resolve in time is accepted, which can happen on a busy machine.
  await waitFor(async () => {
    const checking = checkWebhookUrl({ rules, resolve }, 'https://inside.example/')
    await expect(checking).rejects.toMatchObject({ code: 'invalid_request' })
    return true
  })
  await checkWebhookUrl({ rules, resolve }, 'https://silent-six.example/')
})
