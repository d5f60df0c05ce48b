import { AcquirerAway, UnreadableCard } from './acquirer.ts'
import type { Exchange, Exchanges } from './acquirer-exchange.ts'
import { type CardToken, cardToken, type EncryptionKey, encryptionKey, encryptionKeys } from './acquirer-wire.ts'

/** Asks for the key to encrypt cards to: the first of the set that is of a kind that we know. */
export async function fetchEncryptionKey(exchanges: Exchanges, timeoutMs: number): Promise<EncryptionKey> {
  const answer = await exchanges.ask({ method: 'GET', path: '/v1/encryption-keys', timeoutMs })
  const set = encryptionKeys.safeParse(bodyOf(answer, 200))
  for (const candidate of set.data?.keys ?? []) {
    const key = encryptionKey.safeParse(candidate)
    if (key.success) return key.data
  }
  throw new AcquirerAway(describeExchange(answer))
}

/** Has the acquirer turn an encrypted card into a token. */
export async function tokenizeCard(exchanges: Exchanges, timeoutMs: number, jwe: string): Promise<CardToken> {
  const answer = await exchanges.ask({ method: 'POST', path: '/v1/tokens', body: { card_jwe: jwe }, timeoutMs })
  if (answer.stage === 'after' && answer.status === 400) throw new UnreadableCard()
  const token = cardToken.safeParse(bodyOf(answer, 201))
  if (token.success) return token.data
  throw new AcquirerAway(describeExchange(answer))
}

/** Says in a few words how an exchange ended, without anything of what was sent or answered. */
export function describeExchange(answer: Exchange): string {
  return answer.stage === 'after' ? `status ${answer.status}` : `${answer.reason} ${answer.stage} the exchange`
}

function bodyOf(answer: Exchange, status: number): unknown {
  return answer.stage === 'after' && answer.status === status ? answer.body : undefined
}
