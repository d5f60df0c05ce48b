import type { CommandData } from '@cobro/contracts'
import type { AcquirerDeps } from '../acquirer/acquirer-deps.ts'
import { resolveCharge } from '../charges/resolve-charge.ts'
import { admitAttempt } from '../payment-attempts/admit-attempt.ts'
import { emitAttemptResolution } from '../payment-attempts/attempt-resolution.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import { resolveVoucher } from '../vouchers/resolve-voucher.ts'

/**
 * Carries out `payment.resolve`, which checkout sends for an attempt without an outcome in time.
 * Creates an unknown attempt as a failed transaction, so that a late charge or voucher command is rejected.
 */
export async function resolvePayment({ db, acquirer }: AcquirerDeps, attempt: CommandData<'payment.resolve'>) {
  const { row, created, resolution } = await admitAttempt(db, attempt, 'failed')
  if (created) return
  if (resolution) {
    await db.write(async (_tx, emit) => void emitAttemptResolution(emit, row))
    return
  }
  const key = acquirerKey(row)
  if (row.payment_method === 'cash') {
    const report = await acquirer.findVoucher(key)
    await db.write((tx, emit) => resolveVoucher(tx, emit, row.id, report))
    return
  }
  const report = await acquirer.findCharge(key)
  await db.write((tx, emit) => resolveCharge(tx, emit, row.id, report))
}
