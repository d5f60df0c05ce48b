import { isId } from '@cobro/contracts'
import { type Database, findRow } from '@cobro/database'
import type { HttpAnswer } from '@cobro/runtime'
import { SettlementEntity } from '../settlements/settlement-entity.ts'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { amountRules, type MovedAmount } from './approval-rules.ts'

/** Returns the amount that a call of an operation has moved in the current transaction; undefined if it moves none. */
export async function movedAmount(
  db: Database,
  operation: string,
  answer: HttpAnswer,
): Promise<MovedAmount | undefined> {
  const id = answeredId(answer)
  const of = amountRules[operation]?.of
  if (of === 'transaction' && isId('txn', id)) {
    const row = await db.read(em => findRow(em, TransactionEntity, { id }))
    return row ? { amount_cents: row.amount_cents, currency: row.currency } : undefined
  }
  if (of === 'settlement' && isId('stl', id)) {
    const row = await db.read(em => findRow(em, SettlementEntity, { id }))
    return row ? { amount_cents: row.net_cents, currency: row.currency } : undefined
  }
  return undefined
}

/** Returns the id of the object that a call created, changed or deleted. */
export function answeredId({ body }: HttpAnswer): string {
  return JSON.parse(body).data.id
}
