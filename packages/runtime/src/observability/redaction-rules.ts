import { anySecretPrefix, hasCardNumber, maskCardNumbers, secretPrefixes } from '@cobro/contracts'

const apiKeyPrefix = `(?:${secretPrefixes.sandboxApiKey}|${secretPrefixes.productionApiKey})`

/**
 * Secrets recognized by form: our keys, JWTs, credentials after an authentication scheme, and user
 * info in URLs (also with a slash for Postgres and RabbitMQ). Patterns start without a word boundary, since an escaped
 * newline in JSON ends in a letter. Repetitions before a lookahead are bounded to keep the time linear in the line.
 */
const forms = new RegExp(
  [
    `(?<before>${anySecretPrefix})[A-Za-z0-9+/=_-]{8,}`,
    String.raw`(?<![\w-]{2})eyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)*`,
    String.raw`(?<before>(?:Bearer|Basic|Token) )(?!${apiKeyPrefix})[\w.~+/=-]{12,}`,
    String.raw`(?<before>(?:postgres(?:ql)?|amqps?):\/\/)[^\s"\\]{0,500}(?=@)`,
    String.raw`(?<before>:\/\/)[^\s"\\/]{0,500}(?=@)`,
  ].join('|'),
  'g',
)

const value = String.raw`(?!(?:\w+ |${anySecretPrefix})?\[secret\])(?:[^"\\]|\\.)+`
/** An id may end like the name of a field, such as `cvv`. */
const id = '[a-z]{2,6}_[0-9a-z]{26}'
const fields = String.raw`[\w.-]{0,40}(?:password|secret|token|api_?key|authorization|cookie|cv[cv]2?|track[12]|jwe)|d`
/**
 * Secrets recognized by name: fields, also in JSON inside a text, and headers. Matches from the
 * name's end with a fast lookbehind. The quoted text must be the name: a path ending in `/password` does not match.
 */
const names = new RegExp(
  [
    String.raw`(?<before>(?<="(?!${id}\\*")(?:${fields})\\*)"[:,]\[?\\*")${value}`,
    `(?<before>(?<=(?:authorization|cookie|x-api-key)'?): ?'?)(?! )${value}`,
  ].join('|'),
  'gi',
)

/** Security codes that are numbers. */
const codes = /(?<="cv[cv]2?(\\*)":)\d{3,4}(?!\d)/gi

const bytes = /\{"type":"Buffer","data":\[[\d,]*\]\}/g

/** Redacts card numbers, security codes, keys, tokens, passwords and bytes in a line of JSON. */
export function redact(line: string): string {
  // Bytes come first, because they may look like a card number.
  return maskCardNumbers(line.replace(bytes, '"[secret]"'), 'json')
    .replace(forms, '$<before>[secret]')
    .replace(names, '$<before>[secret]')
    .replace(codes, '$1"[secret]$1"')
}

/** A cheap first check. Texts with a secret, but few others, match it or have a card number. */
const marks = new RegExp(`["@]|eyJ|${anySecretPrefix}|(?:Bearer|Basic|Token) |authorization|cookie|x-api-key`, 'i')

/** Short texts without a secret. Most of what is redacted repeats, such as the names of tables and methods. */
const harmless = new Set<string>()
const maxHarmless = 1_000
const maxLength = 100

/** Redacts a short text, such as a span attribute. Fast if there is nothing to redact. */
export function redactText(text: string): string {
  if (harmless.has(text)) return text
  if (marks.test(text) || hasCardNumber(text, 'json')) return redact(text)
  if (text.length > maxLength) return text
  if (harmless.size >= maxHarmless) harmless.clear()
  harmless.add(text)
  return text
}
