import { maskCardNumbers, maskStart, secretPrefixes } from '@cobro/contracts'
import { maskPath } from '@cobro/runtime'

const { sandboxApiKey, productionApiKey, refreshToken, setupToken, webhookSecret } = secretPrefixes

const maxUserAgent = 256

/** API keys, tokens and webhook secrets (base64, perhaps with slashes), known by their prefixes. */
const secrets = new RegExp(
  [
    `(?:${sandboxApiKey}|${productionApiKey})[A-Za-z0-9]+`,
    String.raw`(?:${refreshToken}|${setupToken})[\w-]{43}`,
    String.raw`${webhookSecret}[\w+/=-]+`,
    String.raw`eyJ[\w.-]{20,}`,
  ].join('|'),
  'g',
)

/** Masks card numbers and secrets in a client's text before append-only storage records it. */
export function redactRecordedText(text: string): string {
  return maskCardNumbers(text.replace(secrets, '[secret]'))
}

/**
 * Returns the start of a client's text from the head of a request, redacted. Node reads heads as
 * Latin-1, but clients send UTF-8, whose bytes could hide the digits and separators of a card number.
 */
export function recordedText(text: string, maxLength: number, redact: (text: string) => string): string {
  const isAscii = /^[\0-\x7f]*$/.test(text)
  return maskStart(isAscii ? text : Buffer.from(text, 'latin1').toString('utf8'), maxLength, redact)
}

/** Returns the first 256 characters of a user agent, redacted, also where it is percent-encoded. */
export function recordedUserAgent(text: string): string {
  return recordedText(text, maxUserAgent, start => maskPath(start, redactRecordedText))
}
