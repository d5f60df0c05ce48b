import { setImmediate } from 'node:timers/promises'
import { endedCall, endedWebhookAttempt, httpRequests, type Message, webhookAttempts } from '@cobro/contracts'
import { activeTraceId, captureTrace, type TraceCarrier } from '@cobro/runtime'
import { z } from 'zod'
import { type AuditRecord, auditRecord } from './events/audit-record.ts'

interface Deps {
  /** Stores a record, with the trace in which its event happened. */
  store: (record: AuditRecord, trace: TraceCarrier) => Promise<void>
  isUnavailable: (error: unknown) => boolean
}

interface ManyDeps extends Deps {
  /** Resolves when a message may be handled: see `turnsOfEventLoop`. */
  turn: () => Promise<void>
}

/** Returns a handler that records events. Needs no inbox: rows of known event ids are skipped. */
export const recordEvent =
  ({ store }: Pick<Deps, 'store'>) =>
  async (message: Message): Promise<void> => {
    const record = auditRecord(message, activeTraceId())
    if (record) await store(record, captureTrace())
  }

/** Returns a handler that records the calls of a message, as `recordMany` does. */
export const recordCalls = (deps: ManyDeps) => recordMany(deps, httpRequests, endedCall)

/** Returns a handler that records a message's events of webhook attempts, as `recordMany` does. */
export const recordWebhookAttempts = (deps: ManyDeps) => recordMany(deps, webhookAttempts, endedWebhookAttempt)

/**
 * Returns a handler that records the events of a message. One that cannot be recorded fails the
 * message. The others are recorded, and skipped as duplicates when the message is delivered again.
 */
function recordMany(
  { store, isUnavailable, turn }: ManyDeps,
  declared: typeof httpRequests | typeof webhookAttempts,
  accepted: typeof endedCall | typeof endedWebhookAttempt,
) {
  const record = async (given: unknown) => {
    const { event, traceparent } = accepted.parse(given)
    const row = auditRecord(event, traceparent?.split('-')[1] ?? null)
    if (row) await store(row, traceOf(event, traceparent))
  }
  return async (message: Message): Promise<void> => {
    await turn()
    const { events } = declared.data.parse(message.data)
    const results = await Promise.allSettled(events.map(record))
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ error: result.reason, event: events[at] }] : [],
    )
    const [failed] = failures
    if (!failed) return
    // While the log is unavailable, a message waits, whatever else fails.
    const unavailable = failures.find(({ error }) => isUnavailable(error))
    if (unavailable) throw unavailable.error
    throw new Error(`${idOf(failed.event)}: ${failed.error}`, { cause: failed.error })
  }
}

/**
 * Returns a function that resolves in a turn of the event loop that no earlier caller got.
 * A message of many takes about 2 ms, and RabbitMQ delivers many of them at once: in between, Postgres's answers to the statements
 * of a batch are read.
 */
export function turnsOfEventLoop(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

const withId = z.object({ event: z.object({ id: z.string() }) })

/** Returns the id of an event in a message of many, for the reason of a dead letter. */
const idOf = (given: unknown) => withId.safeParse(given).data?.event.id ?? 'an event without an id'

/** Returns the trace of an event, or of its message if it has none, such as the call of a health check. */
function traceOf({ correlation_id }: Message, traceparent: string | null): TraceCarrier {
  if (!traceparent) return captureTrace()
  return { traceparent, baggage: correlation_id ? `correlation_id=${correlation_id}` : null }
}
