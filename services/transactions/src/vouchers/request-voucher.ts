import type { CommandData, Message } from '@cobro/contracts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import { admitAttempt } from '../transactions/admit-attempt.ts'
import type { ChargeDeps } from '../transactions/charge-payment.ts'
import { pendingAnswer } from '../transactions/tell-settled.ts'
import type { TransactionRow } from '../transactions/transaction-entity.ts'
import { settleVoucher, type VoucherNews } from './settle-voucher.ts'

/** What an acquirer prints on a voucher is shorter than what a merchant may say. */
const conceptLength = 120

/**
 * Carries out `payment.voucher` by the protocol of `payment.charge`: a voucher is asked for once per attempt, before its
 * deadline, and otherwise asked about. Gives the answer: that a voucher is out, that none will be, or that nobody knows.
 */
export async function requestVoucher(deps: ChargeDeps, command: CommandData<'payment.voucher'>): Promise<Message> {
  const { concept, deadline, ...attempt } = command
  const late = deadline.getTime() <= Date.now()
  const cash = { ...attempt, payment_method: 'cash' as const }
  const { row, made, settled } = await admitAttempt(deps.db, cash, late ? 'failed' : 'pending')
  if (settled) return settled
  const news = made ? await issue(deps, row, concept) : await deps.acquirer.findVoucher(acquirerKey(row))
  return (await deps.db.write((tx, emit) => settleVoucher(tx, emit, row.id, news))) ?? pendingAnswer(row)
}

function issue({ acquirer }: ChargeDeps, row: TransactionRow, concept: string): Promise<VoucherNews> {
  if (!row.voucher_due_at) throw new Error(`Transaction ${row.id} has no day that its voucher is due on.`)
  const printed = shortened(concept)
  return acquirer.issueVoucher({
    key: acquirerKey(row),
    amount_cents: row.amount_cents,
    currency: row.currency,
    due_at: row.voucher_due_at,
    ...(printed ? { concept: printed } : {}),
  })
}

/** Cut between characters, not between the halves of one. */
function shortened(concept: string): string {
  const text = concept.trim()
  if (text.length <= conceptLength) return text
  return text
    .slice(0, conceptLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim()
}
