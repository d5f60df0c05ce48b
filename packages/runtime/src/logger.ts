import { maskCardNumbers } from '@cobro/contracts'
import { type Logger, type LoggerOptions, pino } from 'pino'
import { currentCall } from './call-context.ts'

export type { Logger } from 'pino'

const secrets =
  /\b(vk_(?:live|test)_|whsec_)[A-Za-z0-9+/=_-]{8,}|\b(Bearer |Token )(?!vk_)[\w.~+/=-]{12,}|\b(postgres(?:ql)?|amqps?):\/\/[^:@/\s"]*:[^@/\s"]*@/g

/**
 * Makes a service's logger: one JSON line an entry, with the ids of the call in hand. As a last wall behind careful code,
 * card numbers and secrets are cut out of the finished line.
 */
export function createLogger(service: string, level: string): Logger {
  const options: LoggerOptions = {
    name: service,
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    mixin: callIds,
    hooks: { streamWrite: redact },
  }
  // Written at once: the last lines of a process that ends are what one looks for, whole and in their order.
  return pino(options, pino.destination({ fd: 1, sync: true }))
}

function callIds() {
  const { request_id, correlation_id } = currentCall()
  return { ...(request_id ? { request_id } : {}), ...(correlation_id ? { correlation_id } : {}) }
}

/** Cuts card numbers, API keys, signing secrets, bearer tokens and passwords of addresses out of a text. */
export function redact(line: string): string {
  return maskCardNumbers(line).replace(secrets, (_all, prefix, scheme, protocol) =>
    protocol ? `${protocol}://[secret]@` : `${prefix ?? scheme}[secret]`,
  )
}
