import { ApiError, type PayableId } from '@cobro/contracts'
import { plannedForValues, type Reader } from '@cobro/database'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { openStatuses, unresolvedStatuses } from './payment-attempt-states.ts'

/** The only index on `payable_id` is for open attempts, and no general plan could use it for a status that is a parameter. */
export const byPartialIndex = plannedForValues

/** Throws a conflict while a payment runs: until its outcome is known, nothing may change. */
export async function rejectWhilePaymentRuns(em: Reader, payable_id: PayableId): Promise<void> {
  const running = await em.findOne(
    PaymentAttemptEntity,
    { payable_id, status: { $in: unresolvedStatuses } },
    byPartialIndex,
  )
  if (running) throw new ApiError('conflict', 'a payment is running')
}

/** Finds the attempt whose voucher can still be paid. */
export function findVoucherAttempt(em: Reader, payable_id: PayableId): Promise<PaymentAttemptRow | null> {
  return em.findOne(PaymentAttemptEntity, { payable_id, status: 'pending' }, byPartialIndex)
}

/** Returns whether a voucher was ever issued for a session or link. */
export async function hasIssuedVoucher(em: Reader, payable_id: PayableId): Promise<boolean> {
  return (await em.findOne(PaymentAttemptEntity, { payable_id, voucher: { $ne: null } })) !== null
}

/** Finds the attempt that runs or whose voucher can still be paid. There is at most one. */
export function findOpenAttempt(em: Reader, payable_id: PayableId): Promise<PaymentAttemptRow | null> {
  return em.findOne(PaymentAttemptEntity, { payable_id, status: { $in: openStatuses } }, byPartialIndex)
}

/** Returns the voucher of an attempt in the format of the payer's API. */
export function voucherForPayer({ voucher }: Pick<PaymentAttemptRow, 'voucher'>) {
  return voucher && { ...voucher, due_at: new Date(voucher.due_at) }
}
