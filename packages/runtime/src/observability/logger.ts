import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { currentCall } from './call-context.ts'
import { redact } from './redaction-rules.ts'

export type { Logger } from 'pino'

const maxBufferedBytes = 1024 * 1024

/**
 * Creates a service's logger: one JSON line per entry, with the ids of the current call.
 * As a last line of defense, it redacts card numbers and secrets in the finished line.
 */
export function createLogger(service: string, level: string, to: DestinationStream = standardOutput()): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    mixin: callIds,
    hooks: { streamWrite: redact },
  }
  return pino(options, to)
}

/**
 * Writes lines synchronously, so that a process's last lines are complete and in order. A full disk
 * fails no call: up to 1 MiB is buffered, and later lines are dropped.
 */
function standardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: true, maxLength: maxBufferedBytes }).on('error', () => undefined)
}

function callIds() {
  const { request_id, correlation_id } = currentCall()
  return { ...(request_id ? { request_id } : {}), ...(correlation_id ? { correlation_id } : {}) }
}
