import type { CommandData, Message } from '@cobro/contracts'
import type { AcquirerDeps } from '../acquirer/acquirer-deps.ts'
import { admitAttempt } from '../payment-attempts/admit-attempt.ts'
import { pendingReply } from '../payment-attempts/attempt-resolution.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { resolveVoucher } from './resolve-voucher.ts'
import type { VoucherReport } from './voucher-states.ts'

/** Acquirers print a shorter concept than merchants may send. */
const maxConceptLength = 120

/**
 * Carries out `payment.voucher` by the same protocol as `payment.charge`: requests one voucher per
 * attempt, before its deadline, or else asks for the outcome. Returns the reply: voucher issued, not issued or pending.
 */
export async function requestVoucher(deps: AcquirerDeps, command: CommandData<'payment.voucher'>): Promise<Message> {
  const { concept, deadline, ...attempt } = command
  const late = deadline.getTime() <= Date.now()
  const cash = { ...attempt, payment_method: 'cash' as const }
  const { row, created, resolution } = await admitAttempt(deps.db, cash, late ? 'failed' : 'pending')
  if (resolution) return resolution
  const report = created ? await issue(deps, row, concept) : await deps.acquirer.findVoucher(acquirerKey(row))
  return (await deps.db.write((tx, emit) => resolveVoucher(tx, emit, row.id, report))) ?? pendingReply(attempt)
}

function issue({ acquirer }: AcquirerDeps, row: TransactionRow, concept: string): Promise<VoucherReport> {
  if (!row.voucher_due_at) throw new Error(`Transaction ${row.id} has no due date for its voucher.`)
  const printed = shorten(concept)
  return acquirer.issueVoucher({
    key: acquirerKey(row),
    amount_cents: row.amount_cents,
    currency: row.currency,
    due_at: row.voucher_due_at,
    ...(printed ? { concept: printed } : {}),
  })
}

/** Cuts a text to the printed length without splitting a surrogate pair. */
function shorten(concept: string): string {
  const text = concept.trim()
  if (text.length <= maxConceptLength) return text
  return text
    .slice(0, maxConceptLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}
