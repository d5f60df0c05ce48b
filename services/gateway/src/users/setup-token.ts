import { newSecretToken, tokenHash } from '../secrets/secret-tokens.ts'

const lifetimeMs = 72 * 3_600_000

/** Creates a token with which a user sets its password, and the columns to store with the user. */
export function newSetupToken() {
  const token = newSecretToken('setup')
  const setup_expires_at = new Date(Date.now() + lifetimeMs)
  return { token, columns: { setup_token_hash: tokenHash(token), setup_expires_at } }
}
