import { commandMessage, type Database } from '@cobro/database'
import { isLink, type Payable } from '../payables/payable.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptCommand, attemptedEvent } from './payment-attempt-messages.ts'

/** Emits `payment.attempted`. Returns `payment.voucher` with the concept printed on the voucher. */
export async function prepareVoucher(db: Database, payable: Payable, attempt: PaymentAttemptRow) {
  await db.write(async (_tx, emit) => void emit('payment.attempted', attemptedEvent(payable, attempt)))
  const concept = isLink(payable) ? payable.concepto : payable.merchant_name
  return commandMessage('payment.voucher', {
    ...attemptCommand(payable, attempt),
    concept,
    deadline: attempt.deadline,
  })
}
