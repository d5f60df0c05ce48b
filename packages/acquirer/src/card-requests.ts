import type { z } from 'zod'
import { AcquirerUnavailable, UnreadableCard } from './acquirer-errors.ts'
import { type AcquirerHttpClient, describeResult } from './acquirer-http-client.ts'
import { type CardToken, cardToken, type EncryptionKey, encryptionKey, type tokenBody } from './acquirer-wire.ts'
import { fetchKeys } from './fetch-keys.ts'

/** Fetches the key to encrypt cards to: the first of the set whose type we support. */
export async function fetchEncryptionKey(client: AcquirerHttpClient, timeoutMs: number): Promise<EncryptionKey> {
  const [first] = await fetchKeys(client, '/v1/encryption-keys', encryptionKey, timeoutMs)
  if (!first) throw new AcquirerUnavailable('no encryption key of a supported type')
  return first
}

/** Exchanges a card that was encrypted for a payment for a token. */
export async function requestToken(
  client: AcquirerHttpClient,
  timeoutMs: number,
  card: z.input<typeof tokenBody>,
): Promise<CardToken> {
  const result = await client.send({ method: 'POST', path: '/v1/tokens', body: card, timeoutMs })
  if (result.stage === 'after' && result.status === 400) throw new UnreadableCard()
  const token = cardToken.safeParse(result.stage === 'after' && result.status === 201 ? result.body : undefined)
  if (token.success) return token.data
  throw new AcquirerUnavailable(describeResult(result))
}
