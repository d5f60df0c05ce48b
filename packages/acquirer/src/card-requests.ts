import { AcquirerUnavailable, UnreadableCard } from './acquirer-errors.ts'
import { type AcquirerHttpClient, describeResult, type RequestResult } from './acquirer-http-client.ts'
import { type CardToken, cardToken, type EncryptionKey, encryptionKey, encryptionKeys } from './acquirer-wire.ts'

/** Fetches the key to encrypt cards to: the first of the set whose type we support. */
export async function fetchEncryptionKey(client: AcquirerHttpClient, timeoutMs: number): Promise<EncryptionKey> {
  const result = await client.send({ method: 'GET', path: '/v1/encryption-keys', timeoutMs })
  const set = encryptionKeys.safeParse(bodyOf(result, 200))
  for (const candidate of set.data?.keys ?? []) {
    const key = encryptionKey.safeParse(candidate)
    if (key.success) return key.data
  }
  throw new AcquirerUnavailable(describeResult(result))
}

/** Exchanges an encrypted card for a token. */
export async function requestToken(client: AcquirerHttpClient, timeoutMs: number, jwe: string): Promise<CardToken> {
  const result = await client.send({ method: 'POST', path: '/v1/tokens', body: { card_jwe: jwe }, timeoutMs })
  if (result.stage === 'after' && result.status === 400) throw new UnreadableCard()
  const token = cardToken.safeParse(bodyOf(result, 201))
  if (token.success) return token.data
  throw new AcquirerUnavailable(describeResult(result))
}

function bodyOf(result: RequestResult, status: number): unknown {
  return result.stage === 'after' && result.status === status ? result.body : undefined
}
