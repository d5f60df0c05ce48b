import { anySecretPrefix, maskCardNumbers, secretPrefixes } from '@cobro/contracts'

const apiKeyPrefix = `(?:${secretPrefixes.sandboxApiKey}|${secretPrefixes.productionApiKey})`

/**
 * What is told by its form: keys of ours, web tokens, what follows the name of a scheme, names and passwords in addresses (of
 * our own servers also those that hold a slash). No word boundary comes first: in JSON a new line ends in a letter. What is
 * looked through again and again is bounded, so that the work grows with the line and no faster.
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
 * What is told by its name: fields, also of JSON that stands in a text, and headers. Found by what follows the name: that is
 * quick. A name is all that is between its quotes: a path that ends in `/password` is none.
 */
const names = new RegExp(
  [
    String.raw`(?<before>(?<="(?:${fields})\\*)"[:,]\[?\\*")${value}`,
    `(?<before>(?<=(?:authorization|cookie|x-api-key)'?): ?'?)(?! )${value}`,
  ].join('|'),
  'gi',
)

const bytes = /\{"type":"Buffer","data":\[[\d,]*\]\}/g

/** An escape of JSON, whose digits are no part of a number beside it. */
const escaped = /(\\u[\da-f]{4})/i

/** Cuts card numbers, keys, tokens, passwords and bytes out of a line of JSON. */
export function redact(line: string): string {
  const masked = line.includes('\\u') ? line.split(escaped).map(maskCardNumbers).join('') : maskCardNumbers(line)
  return masked.replace(forms, '$<before>[secret]').replace(names, '$<before>[secret]').replace(bytes, '"[secret]"')
}

/** What a text holds, digits apart, that has anything to be cut out. Most hold none of it, and looking is cheaper than cutting. */
const marks = new RegExp(`["@]|eyJ|${anySecretPrefix}|(?:Bearer|Basic|Token) |authorization|cookie|x-api-key`, 'i')
const manyDigits = /\d(?:[ -]?\d){13}/
/** No card number, key or named value that is worth anything is shorter. */
const shortest = 12

/** Cuts the same out of a text that is no whole line, as spans have many: quick where there is nothing to be cut out. */
export function redactText(text: string): string {
  if (text.length < shortest || !(marks.test(text) || manyDigits.test(text))) return text
  return redact(text)
}
