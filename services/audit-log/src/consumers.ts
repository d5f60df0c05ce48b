import { setImmediate } from 'node:timers/promises'
import { endedCall, httpRequests, type Message } from '@cobro/contracts'
import { activeTraceId, captureTrace, type TraceCarrier } from '@cobro/runtime'
import { z } from 'zod'
import { type AuditRecord, auditRecord } from './events/audit-record.ts'

interface Deps {
  /** Stores a record, with the trace in which its event happened. */
  store: (record: AuditRecord, trace: TraceCarrier) => Promise<void>
  isUnavailable: (error: unknown) => boolean
}

/** Returns a handler that records events. Needs no inbox: rows of known event ids are skipped. */
export const recordEvent =
  ({ store }: Pick<Deps, 'store'>) =>
  async (message: Message): Promise<void> => {
    const record = auditRecord(message, activeTraceId())
    if (record) await store(record, captureTrace())
  }

/**
 * Returns a handler that records the calls of a message. A call that cannot be recorded fails the
 * message. The others are recorded, and skipped as duplicates when the message is delivered again.
 */
export const recordCalls = ({ store, isUnavailable }: Deps) => {
  const turn = turnsOfEventLoop()
  return async (message: Message): Promise<void> => {
    await turn()
    const { calls } = httpRequests.data.parse(message.data)
    const record = async (call: unknown) => {
      const { event, traceparent } = endedCall.parse(call)
      const row = auditRecord(event, null)
      if (row) await store(row, traceOfCall(event, traceparent))
    }
    const results = await Promise.allSettled(calls.map(record))
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ error: result.reason, call: calls[at] }] : [],
    )
    const [failed] = failures
    if (!failed) return
    // While the log is unavailable, a message waits, whatever else fails.
    const unavailable = failures.find(({ error }) => isUnavailable(error))
    if (unavailable) throw unavailable.error
    throw new Error(`${idOf(failed.call)}: ${failed.error}`, { cause: failed.error })
  }
}

/**
 * Returns a function that resolves in a turn of the event loop that no earlier caller got. A message takes about 2 ms, and
 * RabbitMQ delivers many at once: in between, Postgres's answers to the statements of a batch are read.
 */
function turnsOfEventLoop(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}

const withId = z.object({ event: z.object({ id: z.string() }) })

/** Returns the id of a call's event, for the reason of a dead letter. */
const idOf = (call: unknown) => withId.safeParse(call).data?.event.id ?? 'a call without an id'

/** Returns the trace of a call, or of its message if the call has none, such as a health check. */
function traceOfCall({ correlation_id }: Message, traceparent: string | null): TraceCarrier {
  if (!traceparent) return captureTrace()
  return { traceparent, baggage: correlation_id ? `correlation_id=${correlation_id}` : null }
}
