import type { Actor, Id } from '@cobro/contracts'

/** What is known when a call arrives. `path` has no query, and all texts are redacted. */
export interface CallBegin {
  request_id: Id<'req'>
  started_at: string
  method: string
  path: string
  ip: string | null
  user_agent: string | null
  /** The trace and span of the call in W3C format. */
  traceparent: string | null
  target_id: string | null
}

/** What the response adds. A `target_id` of null keeps the one of the begin. */
export interface CallEnd {
  status_code: number
  duration_ms: number | null
  merchant_id: Id<'mrc'> | null
  actor: Actor
  correlation_id: Id<'corr'> | null
  target_id: string | null
  /** Absent in a spool of the release before, and after a crash. */
  operation_id?: string | null
  error_code?: string | null
  outcome?: 'client_closed' | 'gateway_crashed'
}

/** A call that has ended, with everything that its `http.request` event needs. */
export type SpooledCall = CallBegin & CallEnd

/** Calls whose events are published in one message. */
export type CallBatch = readonly SpooledCall[]

/** Combines begin and end of a call. */
export function endCall(begin: CallBegin, end: CallEnd): SpooledCall {
  return { ...begin, ...end, target_id: end.target_id ?? begin.target_id }
}

/**
 * Ends a call that a crash of the gateway interrupted. The result depends on the begin only, so
 * that publishing it again after a second crash produces the same event.
 */
export function cutOffCall(begin: CallBegin): SpooledCall {
  return endCall(begin, {
    status_code: 500,
    duration_ms: null,
    merchant_id: null,
    actor: { type: 'system', id: null },
    correlation_id: null,
    target_id: null,
    outcome: 'gateway_crashed',
  })
}
