import { randomBytes } from 'node:crypto'
import { changeConfig } from '../connection/config-file.ts'
import type { Connection } from '../connection/connect.ts'

/** Returns the secret that signs what is forwarded. It is made once for each profile, and stays the same. */
export function signingSecret({ name, baseUrl, webhookSecret }: Connection): string {
  if (webhookSecret) return webhookSecret
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  changeConfig(({ profiles }) => {
    profiles[name] = { ...(profiles[name] ?? { base_url: baseUrl }), webhook_secret: secret }
  })
  return secret
}
