import { anySecretPrefix, maskCardNumbers, secretPrefixes } from '@cobro/contracts'

const apiKeyPrefix = `(?:${secretPrefixes.sandboxApiKey}|${secretPrefixes.productionApiKey})`

/**
 * Secrets that are recognized by their form: our keys, JWTs, credentials after the name of an authentication scheme, and user
 * info in URLs (for Postgres and RabbitMQ also with a slash in it). Patterns start without a word boundary, because an escaped
 * newline in JSON ends in a letter. Repetitions before a lookahead are bounded, so that the time stays linear in the line.
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
const fields = String.raw`[\w.-]{0,40}(?:password|secret|token|api_?key|authorization|cookie|cvc|cvv|jwe)|d`
/**
 * Secrets that are recognized by their name: fields, also in JSON inside a text, and headers. Matches from the end of the name
 * with a lookbehind, which is fast. The whole quoted text must be the name: a path that ends in `/password` does not match.
 */
const names = new RegExp(
  [
    String.raw`(?<before>(?<="(?:${fields})\\*)"[:,]\[?\\*")${value}`,
    `(?<before>(?<=(?:authorization|cookie|x-api-key)'?): ?'?)(?! )${value}`,
  ].join('|'),
  'gi',
)

const bytes = /\{"type":"Buffer","data":\[[\d,]*\]\}/g

/** A JSON escape; its digits must not count as part of an adjacent number. */
const escaped = /(\\u[\da-f]{4})/i

/** Redacts card numbers, keys, tokens, passwords and bytes in a line of JSON. */
export function redact(line: string): string {
  const masked = line.includes('\\u') ? line.split(escaped).map(maskCardNumbers).join('') : maskCardNumbers(line)
  return masked.replace(forms, '$<before>[secret]').replace(names, '$<before>[secret]').replace(bytes, '"[secret]"')
}

/** A cheap first check: every text with a secret matches this or `manyDigits`, and most texts match neither. */
const marks = new RegExp(`["@]|eyJ|${anySecretPrefix}|(?:Bearer|Basic|Token) |authorization|cookie|x-api-key`, 'i')
const manyDigits = /\d(?:[ -]?\d){13}/
/** No card number, key or named secret is shorter. */
const minLength = 12

/** Redacts a short text, such as a span attribute. Fast if there is nothing to redact. */
export function redactText(text: string): string {
  if (text.length < minLength || !(marks.test(text) || manyDigits.test(text))) return text
  return redact(text)
}
