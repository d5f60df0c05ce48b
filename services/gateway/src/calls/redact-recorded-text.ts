import { maskCardNumbers, secretPrefixes } from '@cobro/contracts'

const { sandboxApiKey, productionApiKey, refreshToken, setupToken, webhookSecret } = secretPrefixes

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
