import { maskCardNumbers, secretPrefixes } from '@cobro/contracts'

const { sandboxApiKey, productionApiKey, refreshToken, setupToken, webhookSecret } = secretPrefixes

/** API keys, webhook signing secrets (their base64 may contain slashes) and tokens, recognized by their prefixes. */
const secrets = new RegExp(
  [
    `(?:${sandboxApiKey}|${productionApiKey})[A-Za-z0-9]+`,
    String.raw`(?:${refreshToken}|${setupToken})[\w-]{43}`,
    String.raw`${webhookSecret}[\w+/=-]+`,
    String.raw`eyJ[\w.-]{20,}`,
  ].join('|'),
  'g',
)

/** Removes card numbers and secrets from a client's text before it is recorded in append-only storage. */
export function redactRecordedText(text: string): string {
  return maskCardNumbers(text.replace(secrets, '[secret]'))
}
