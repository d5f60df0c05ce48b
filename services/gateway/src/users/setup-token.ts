import { newSecretToken, tokenHash } from '../secrets/secret-tokens.ts'

/** How long a token to set a password is good. */
const lifetimeMs = 72 * 3_600_000

/** Makes a token by which a user sets its password, and what of it is stored with the user. */
export function newSetupToken() {
  const token = newSecretToken('setup')
  const setup_expires_at = new Date(Date.now() + lifetimeMs)
  return { token, columns: { setup_token_hash: tokenHash(token), setup_expires_at } }
}
