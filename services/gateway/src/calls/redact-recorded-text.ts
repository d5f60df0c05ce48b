import { maskCardNumbers } from '@cobro/contracts'

/** API keys, webhook signing secrets (their base64 may contain slashes) and tokens, recognized by their prefixes. */
const secrets = /vk_(?:test|live)_[A-Za-z0-9]+|v[rs]t_[\w-]{43}|whsec_[\w+/=-]+|eyJ[\w.-]{20,}/g

/** Removes card numbers and secrets from a client's text before it is recorded in append-only storage. */
export function redactRecordedText(text: string): string {
  return maskCardNumbers(text.replace(secrets, '[secret]'))
}
