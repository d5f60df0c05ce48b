import { commandMessage, type Database } from '@cobro/database'
import { isLink, type Payable } from '../payables/payable.ts'
import { attemptCommand, attemptedEvent } from './attempt-command.ts'
import type { AttemptRow } from './attempt-entity.ts'

/** Tells that cash was chosen, and gives the command that has a voucher issued. It says on it what is paid for. */
export async function prepareVoucher(db: Database, payable: Payable, attempt: AttemptRow) {
  await db.write(async (_tx, emit) => void emit('payment.attempted', ...attemptedEvent(payable, attempt)))
  const concept = isLink(payable) ? payable.concepto : payable.merchant_name
  return commandMessage('payment.voucher', {
    ...attemptCommand(payable, attempt),
    concept,
    deadline: attempt.deadline,
  })
}
