import type { Logger } from '@cobro/runtime'
import type { SpooledCall } from './spooled-call.ts'

/** Orchestrators ask for these all the time, and what is wrong then has a line of its own. */
const probes = new Set(['/health/live', '/health/ready'])

/**
 * Writes the log line of a call that has ended. It says what the record says, which holds no query and no secret; what is
 * not known is left out. The ids are the record's: a call that nobody could read has no context to take them from.
 */
export function logCall(logger: Pick<Logger, 'info'>, call: SpooledCall): void {
  if (probes.has(call.path)) return
  const line = {
    method: call.method,
    path: call.path,
    status_code: call.status_code,
    duration_ms: call.duration_ms ?? undefined,
    request_id: call.request_id,
    correlation_id: call.correlation_id ?? undefined,
    trace_id: call.traceparent?.split('-')[1],
    merchant_id: call.merchant_id ?? undefined,
    actor: call.actor,
    outcome: call.outcome,
  }
  logger.info(line, 'call')
}
