import type { Emit, Tx } from '@cobro/database'
import { isLink, isOpen, type Payable } from '../payables/payable.ts'
import { transitionPayable } from '../payables/transition-payable.ts'
import { blockPayments, emitBlocked } from '../velocity-rules/block-payments.ts'
import type { VelocityLimit } from '../velocity-rules/velocity-settings.ts'

/** Cancels a locked session, or blocks a link for a while, on which anyone may have tried cards, after too many declines in a row. */
export async function limitDeclines(
  tx: Tx,
  emit: Emit,
  { payable, limit, now }: { payable: Payable; limit: VelocityLimit; now: Date },
): Promise<void> {
  if (!isOpen(payable) || payable.decline_count < limit.max) return
  if (!isLink(payable)) return void transitionPayable(emit, payable, 'cancel', now)
  payable.decline_count = 0
  const block = await blockPayments(tx, { payable, rule: 'payable_declines', subject: payable.id, limit, now })
  emitBlocked(emit, payable, block, now)
}
