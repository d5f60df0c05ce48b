import type { Logger } from '@cobro/runtime'
import type { SpooledCall } from './spooled-call.ts'

/** Orchestrators request these all the time; a failing readiness check logs its own line. */
const probes = new Set(['/health/live', '/health/ready'])

/**
 * Logs an ended call (the access log). The line has what the audit record has, so no query and no secrets. It leaves out
 * unknown fields, and the operation, since method and path are there. The ids come from the record: a malformed request has
 * no context.
 */
export function logCall(logger: Pick<Logger, 'info'>, call: SpooledCall): void {
  if (probes.has(call.path)) return
  const line = {
    method: call.method,
    path: call.path,
    status_code: call.status_code,
    error_code: call.error_code ?? undefined,
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
