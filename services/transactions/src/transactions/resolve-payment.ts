import type { CommandData } from '@cobro/contracts'
import { admitAttempt } from './admit-attempt.ts'
import { acquirerKey, type ChargeDeps } from './charge-payment.ts'
import { settleTransaction, tellSettled } from './settle-transaction.ts'

/**
 * Carries out `payment.resolve`: checkout has waited past an attempt's deadline and asks what it came to. An attempt that
 * nobody had heard of becomes a failed transaction, which refuses any charge that may still be on its way.
 */
export async function resolvePayment(
  { db, acquirer }: ChargeDeps,
  attempt: CommandData<'payment.resolve'>,
): Promise<void> {
  const { row, made, settled } = await admitAttempt(db, attempt, 'failed')
  if (made) return
  if (settled) {
    await db.write(async (_tx, emit) => void tellSettled(emit, row))
    return
  }
  const outcome = await acquirer.find(acquirerKey(row))
  await db.write((tx, emit) => settleTransaction(tx, emit, row.id, outcome))
}
