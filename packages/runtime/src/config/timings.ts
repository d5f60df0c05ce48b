import { z } from 'zod'
import { jsonText, readConfig } from './config.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const time = z.int().min(1)
const times = z.array(time).min(1)

const protocol = z.strictObject({
  /** How long a message waits after its consumer failed. All services on a broker must agree on it. */
  retry: time.default(5 * second),
  /** How long a charge command may be on its way: transactions rejects a later one without charging. */
  deadline: time.default(20 * second),
  /** How long the payer's call waits for the outcome. Later, the page reads it from the session or link. */
  response: time.default(25 * second),
  /** How often checkout reads whether another replica has completed the attempts that such calls wait for. */
  readOutcome: time.default(2 * second),
  /** How long after the deadline checkout first asks transactions about a running attempt. */
  resolve: time.default(10 * second),
  /** How long it waits for an answer before it asks again. The last delay repeats. */
  resolveAgain: times.default([15 * second, minute, 5 * minute, hour]),
  /** The age at which a pending payment is first checked with the acquirer. */
  check: time.default(30 * second),
  /** How long transactions waits before it checks an unknown outcome again. The last delay repeats. */
  checkAgain: times.default([
    ...[2 * second, 5 * second, 15 * second, minute],
    ...[5 * minute, 15 * minute, hour, 6 * hour, 24 * hour],
  ]),
  /** The age from which "not found" may lead to a reversal: before, the request may be on its way. */
  reverse: time.default(minute),
  /** How often a service looks whether its daily reconciliation is due. */
  reconcile: time.default(minute),
})

const settings = z.object({ PROTOCOL_TIMINGS: jsonText.optional() })

/**
 * Reads the times of the payment protocol, in milliseconds. `PROTOCOL_TIMINGS`, a JSON object, replaces
 * some of them: tests of faults need not wait a minute for a reversal. Production ignores it here, and `readConfig`
 * rejects it there together with all other unsafe settings.
 */
export function readTimings(env: NodeJS.ProcessEnv): z.output<typeof protocol> {
  if (env.COBRO_ENV === 'production') return protocol.parse({})
  return protocol.parse(readConfig(settings, env).PROTOCOL_TIMINGS ?? {})
}

/** The times of the payment protocol in this process. */
export const timings = readTimings(process.env)

/** Returns the delay after `count` tries from a list of timings whose last delay repeats. */
export function delayAfter(delays: readonly number[], count: number): number {
  return delays[count] ?? delays.at(-1) ?? 0
}
