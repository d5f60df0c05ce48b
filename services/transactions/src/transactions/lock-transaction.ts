import type { Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

/** Locks a transaction and returns it as the previous holder of the lock left it. */
export function lockTransaction(tx: Tx, id: string): Promise<TransactionRow> {
  return tx.findOneOrFail(TransactionEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
}
