import { createCobro } from '@cobro/sdk'
import { checkGoLive } from './check-go-live.ts'

const nowMs = Date.parse('2026-11-25T12:00:00.000Z')
const key = { name: 'shop', scopes: ['payments:write'], expires_at: '2027-11-25T12:00:00.000Z' }
const endpoint = { id: 'whk_1', status: 'active', url: 'https://shop.example', events: ['payment.approved'] }
const page = { count: null, limit: 200, offset: 0 }
const ready = {
  '/api/me': { data: { environment: 'production', api_key: key } },
  '/health': { status: 'ok' },
  '/api/webhooks': { ...page, data: [endpoint] },
  '/api/webhook-deliveries': { ...page, data: [] },
  '/api/webhook-events': { data: [], after: 7, through: 7, head: 7, floor: 1 },
}

/** Checks a deployment with these answers, and returns what is missing. */
async function missing(change: Partial<Record<keyof typeof ready, object>> = {}) {
  const answers: Record<string, object> = { ...ready, ...change }
  const fetch = async (url: string | URL | Request) => {
    const answer = answers[new URL(String(url)).pathname] ?? { error: `not_found: ${url}` }
    return Response.json(answer, { status: 'error' in answer ? 403 : 200 })
  }
  const checks = await checkGoLive(createCobro({ apiKey: 'vk_live_1', baseUrl: 'https://pay.example', fetch }), nowMs)
  expect(checks).toHaveLength(8)
  return checks.filter(({ ok }) => !ok).map(({ check, found }) => `${check}: ${found}`)
}

const me = (change: object) => ({ '/api/me': { data: { environment: 'production', api_key: key, ...change } } })
const endpoints = (...data: object[]) => ({ '/api/webhooks': { ...page, data } })
const noEndpoint = 'an active endpoint with https gets payment.approved: none'

test('nothing is missing in a deployment that is ready', async () => {
  expect(await missing()).toEqual([])
  expect(await missing(me({ api_key: { ...key, expires_at: null } }))).toEqual([])
  expect(await missing(endpoints({ ...endpoint, events: ['*'] }))).toEqual([])
})

test.each<[object, string[]]>([
  [me({ environment: 'sandbox' }), ['the environment is production: sandbox']],
  [{ '/health': { status: 'degraded' } }, ['the API answers: degraded']],
  [me({ api_key: { ...key, scopes: null } }), ['the key is limited to scopes: everything that keys may do']],
  [
    me({ api_key: { ...key, expires_at: '2026-12-01T00:00:00.000Z' } }),
    ['the key is valid for 30 days: until 2026-12-01T00:00:00.000Z'],
  ],
  [
    me({ api_key: null }),
    [
      'the key is limited to scopes: this credential is no key',
      'the key is valid for 30 days: this credential is no key',
    ],
  ],
  [endpoints(), [noEndpoint]],
  [endpoints({ ...endpoint, url: 'http://shop.example' }), [noEndpoint]],
  [endpoints({ ...endpoint, events: ['payment.refunded'] }), [noEndpoint]],
  [endpoints({ ...endpoint, status: 'disabled' }), [noEndpoint, 'no endpoint is disabled: whk_1']],
  [{ '/api/webhook-deliveries': { ...page, data: [{ id: 'whd_1' }] } }, ['no delivery was given up in 7 days: whd_1']],
  [{ '/api/webhook-events': { error: 'forbidden: scope' } }, ['the event feed can be read: forbidden: scope']],
])('in a deployment with %j this is missing: %j', async (change, expected) => {
  expect(await missing(change)).toEqual(expected)
})
