import type { Caller, Id } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

/** Returns a transaction that the caller may see. Only operators see the parts of its fee. */
export async function getTransaction(
  db: Database,
  caller: Caller,
  id: Id<'txn'>,
): Promise<Omit<TransactionRow, 'fee_parts'> & Partial<Pick<TransactionRow, 'fee_parts'>>> {
  const { fee_parts, ...visible } = await db.read(em => getRow(em, TransactionEntity, caller, id))
  return caller.kind === 'operator' ? { ...visible, fee_parts } : visible
}
