import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { currentCall } from './call-context.ts'
import { redact } from './redaction-rules.ts'

export type { Logger } from 'pino'

const keptBytes = 1024 * 1024

/**
 * Makes a service's logger: one JSON line an entry, with the ids of the call in hand. As a last wall behind careful code,
 * card numbers and secrets are cut out of the finished line.
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
 * Lines are written at once: the last ones of a process that ends are what one looks for, whole and in their order. A disk
 * that takes none fails no call; so much is kept meanwhile, and what comes after that is dropped.
 */
function standardOutput(): DestinationStream {
  return pino.destination({ fd: 1, sync: true, maxLength: keptBytes }).on('error', () => undefined)
}

function callIds() {
  const { request_id, correlation_id } = currentCall()
  return { ...(request_id ? { request_id } : {}), ...(correlation_id ? { correlation_id } : {}) }
}
