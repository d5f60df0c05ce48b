import { randomBytes } from 'node:crypto'
import { changeConfig } from '../connection/config-file.ts'
import type { Connection } from '../connection/connect.ts'

/** Returns the secret that signs what is forwarded. It is made once for each profile, and stays the same. */
export async function signingSecret({
  name,
  baseUrl,
  webhookSecret,
}: Pick<Connection, 'name' | 'baseUrl' | 'webhookSecret'>): Promise<string> {
  if (webhookSecret) return webhookSecret
  let secret = `whsec_${randomBytes(32).toString('base64')}`
  await changeConfig(({ profiles }) => {
    const profile = profiles[name] ?? { base_url: baseUrl }
    // Another command may have made it meanwhile.
    secret = profile.webhook_secret ?? secret
    profiles[name] = { ...profile, webhook_secret: secret }
  })
  return secret
}
