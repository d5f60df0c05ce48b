import type { CommandData } from '@cobro/contracts'
import { settleVoucher } from '../vouchers/settle-voucher.ts'
import { acquirerKey } from './acquirer-key.ts'
import { admitAttempt } from './admit-attempt.ts'
import type { ChargeDeps } from './charge-payment.ts'
import { settleTransaction } from './settle-transaction.ts'
import { tellSettled } from './tell-settled.ts'

/**
 * Carries out `payment.resolve`: checkout has waited past an attempt's deadline and asks what it came to. An attempt that
 * nobody had heard of becomes a failed transaction, which refuses any charge or voucher that may still be on its way.
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
  const key = acquirerKey(row)
  if (row.payment_method === 'cash') {
    const news = await acquirer.findVoucher(key)
    await db.write((tx, emit) => settleVoucher(tx, emit, row.id, news))
    return
  }
  const outcome = await acquirer.findCharge(key)
  await db.write((tx, emit) => settleTransaction(tx, emit, row.id, outcome))
}
