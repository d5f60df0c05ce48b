import { isId } from '@cobro/contracts'
import type { Reader } from '@cobro/database'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

/** Returns the acquirer's idempotency key of an attempt. */
export function acquirerKey(row: Pick<TransactionRow, 'payment_intent_id' | 'attempt'>): string {
  return `${row.payment_intent_id}:${row.attempt}`
}

/** Finds the transaction of an acquirer's idempotency key; null when the key is not ours. */
export async function findTransactionByAcquirerKey(em: Reader, key: string): Promise<TransactionRow | null> {
  const [, payment_intent_id, number] = /^([^:]+):(\d{1,9})$/.exec(key) ?? []
  if (!isId('pi', payment_intent_id)) return null
  return em.findOne(TransactionEntity, { payment_intent_id, attempt: Number(number) })
}
