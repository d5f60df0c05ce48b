import type { Actor, Id } from '@cobro/contracts'

/**
 * What is known of a call as it comes in. `path` has no query; card numbers have been cut out of every text, since
 * this goes to disk as it is.
 */
export interface CallBegin {
  request_id: Id<'req'>
  started_at: string
  method: string
  path: string
  ip: string | null
  user_agent: string | null
  /** The trace and the span that the call is, as W3C writes them. */
  traceparent: string | null
  target_id: string | null
}

/** What its answer adds. A `target_id` of null leaves the one that the begin named. */
export interface CallEnd {
  status_code: number
  duration_ms: number | null
  merchant_id: string | null
  actor: Actor
  correlation_id: string | null
  target_id: string | null
  outcome?: 'client_closed' | 'gateway_crashed'
}

/** A call that has ended: all that its `http.request` event needs. */
export type SpooledCall = CallBegin & CallEnd

/** Joins the two halves of a call. */
export function endCall(begin: CallBegin, end: CallEnd): SpooledCall {
  return { ...begin, ...end, target_id: end.target_id ?? begin.target_id }
}

/**
 * How a call ends that the gateway's death cut off. It follows from the begin alone, so that telling it again after a
 * second crash says the same.
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
