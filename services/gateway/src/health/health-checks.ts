import { setTimeout as sleep } from 'node:timers/promises'
import type { PartState } from '@cobro/contracts'
import { type Logger, startInterval, withTimeout } from '@cobro/runtime'
import type { Upstreams } from '../forward/upstreams.ts'

type HealthState = Record<string, PartState>

export interface HealthChecks {
  /** Returns the latest result, a few seconds old at most. Waits only for the first check. */
  state(): Promise<HealthState>
  stop(): Promise<void>
}

interface HealthDeps {
  upstreams: Upstreams
  ping: () => Promise<void>
  brokerConnected: () => boolean
  logger: Logger
}

const intervalMs = 2_000
/** While a part is away, so that its return shows at once. */
const intervalWhileDegradedMs = 250
const timeoutMs = 1_000

/** Checks PostgreSQL, RabbitMQ and services regularly, so that `GET /health` makes no calls. */
export function startHealthChecks(deps: HealthDeps): HealthChecks {
  const first = Promise.withResolvers<void>()
  let state: HealthState = {}
  const check = async (stopping: AbortSignal) => {
    state = await checkAll(deps)
    first.resolve()
    if (!isDegraded(state)) return false
    await sleep(intervalWhileDegradedMs, undefined, { signal: stopping }).catch(() => {})
    return true
  }
  const { stop } = startInterval(intervalMs, 'check health', check, deps.logger)
  return { state: () => first.promise.then(() => state), stop }
}

/** Returns whether a part is away. */
export const isDegraded = (state: HealthState) => Object.values(state).includes('away')

async function checkAll({ upstreams, ping, brokerConnected }: HealthDeps): Promise<HealthState> {
  const checks: Record<string, Promise<PartState>> = {
    postgres: stateWithinTimeout(ping()),
    ...Object.fromEntries(upstreams.names.map(name => [name, stateWithinTimeout(checkService(upstreams, name))])),
  }
  const found = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await check] as const))
  return { gateway: 'ok', ...Object.fromEntries(found), rabbitmq: brokerConnected() ? 'ok' : 'away' }
}

async function checkService(upstreams: Upstreams, name: Upstreams['names'][number]): Promise<void> {
  const { statusCode, body } = await upstreams.request(name, {
    method: 'GET',
    path: '/health/ready',
    headersTimeout: timeoutMs,
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`${name} is not ready`)
}

/** A check that fails or does not finish in time counts as unavailable. */
async function stateWithinTimeout(check: Promise<void>): Promise<PartState> {
  const done = check.then(() => 'ok' as const)
  const state = await withTimeout(timeoutMs, done).catch(() => undefined)
  return state ?? 'away'
}
