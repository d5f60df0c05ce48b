import { maskCardNumbers } from '@cobro/contracts'

/** API keys, the signing secrets of webhooks (whose base64 may hold slashes) and tokens: what is told by how it begins. */
const secrets = /vk_(?:test|live)_[A-Za-z0-9]+|v[rs]t_[\w-]{43}|whsec_[\w+/=-]+|eyJ[\w.-]{20,}/g

/** A text of a client as it may be recorded where nothing can be taken out again: without card numbers and secrets. */
export function redactText(text: string): string {
  return maskCardNumbers(text.replace(secrets, '[secret]'))
}
