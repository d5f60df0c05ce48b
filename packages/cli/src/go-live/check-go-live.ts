import { ApiError, type Cobro, type Me } from '@cobro/sdk'

/** A check of what has to be in order before the first real payment. */
export interface GoLiveCheck {
  check: string
  ok: boolean
  /** What was found. */
  found: string
}

type Api = Pick<Cobro, 'webhookEvents'> & {
  health: () => PromiseLike<{ status: string }>
  me: () => PromiseLike<Me>
  webhookEndpoints: Pick<Cobro['webhookEndpoints'], 'list'>
  webhookDeliveries: Pick<Cobro['webhookDeliveries'], 'list'>
}

const dayMs = 86_400_000
/** A key that ends sooner would end in the first weeks. */
const keyDays = 30
const deliveryDays = 7
const mostEndpoints = 1_000

/** Checks what a program can of the go-live checklist of the documentation. */
export async function checkGoLive(cobro: Api, nowMs: number): Promise<GoLiveCheck[]> {
  const { environment, api_key: key } = await cobro.me()
  // Both checks of endpoints read one list.
  const endpoints = endpointsOf(cobro)
  const checks: Record<string, () => Found | Promise<Found>> = {
    'the environment is production': () => [environment === 'production', environment],
    'the API answers': async () => {
      const { status } = await cobro.health()
      return [status === 'ok', status]
    },
    'the key is limited to scopes': () => scopesOf(key),
    [`the key is valid for ${keyDays} days`]: () => expiryOf(key, nowMs),
    'an active endpoint with https gets payment.approved': async () => {
      const found = (await endpoints).filter(
        ({ status, url, events }) =>
          status === 'active' &&
          url.startsWith('https:') &&
          events.some(name => name === '*' || name === 'payment.approved'),
      )
      return [found.length > 0, idsOf(found)]
    },
    'no endpoint is disabled': async () => {
      const found = (await endpoints).filter(({ status }) => status === 'disabled')
      return [found.length === 0, idsOf(found)]
    },
    [`no delivery was given up in ${deliveryDays} days`]: async () => {
      const from = new Date(nowMs - deliveryDays * dayMs)
      const { data } = await cobro.webhookDeliveries.list({ status: 'exhausted', from, limit: 10, count: 'none' })
      return [data.length === 0, idsOf(data)]
    },
    'the event feed can be read': async () => {
      const { head } = await cobro.webhookEvents.list({ after: 'latest', limit: 1 })
      return [true, `up to ${head}`]
    },
  }
  return Promise.all(Object.entries(checks).map(([check, run]) => resultOf(check, run)))
}

type Found = readonly [ok: boolean, found: string]

/** What the credential may not read, it cannot check. */
async function resultOf(check: string, run: () => Found | Promise<Found>): Promise<GoLiveCheck> {
  try {
    const [ok, found] = await run()
    return { check, ok, found }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { check, ok: false, found: error.message }
  }
}

const noKey: Found = [false, 'this credential is no key']

function scopesOf(key: Me['api_key']): Found {
  if (!key) return noKey
  return [key.scopes !== null, key.scopes?.join(', ') ?? 'everything that keys may do']
}

function expiryOf(key: Me['api_key'], nowMs: number): Found {
  if (!key) return noKey
  if (key.expires_at === null) return [true, 'it does not expire']
  return [Date.parse(key.expires_at) - nowMs > keyDays * dayMs, `until ${key.expires_at}`]
}

function endpointsOf({ webhookEndpoints }: Api) {
  return webhookEndpoints.list({ limit: 200 }).toArray({ maxItems: mostEndpoints })
}

function idsOf(rows: readonly { id: string }[]): string {
  return rows.map(({ id }) => id).join(', ') || 'none'
}
