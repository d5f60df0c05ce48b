import type { Acquirer } from '@cobro/acquirer'
import { type CommandData, type Message, newId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { admitAttempt } from './admit-attempt.ts'
import { type ChargeOutcome, settleTransaction } from './settle-transaction.ts'
import type { TransactionRow } from './transaction-entity.ts'

export interface ChargeDeps {
  db: Database
  acquirer: Acquirer
}

/**
 * Carries out `payment.charge`. Only an attempt that nobody had heard of is charged, and only before its deadline; one that
 * is known is never charged again but asked about. Gives the answer: the outcome's message, or that it is pending.
 */
export async function chargePayment(deps: ChargeDeps, command: CommandData<'payment.charge'>): Promise<Message> {
  const { token, deadline, ...attempt } = command
  const late = deadline.getTime() <= Date.now()
  const { row, made, settled } = await admitAttempt(deps.db, attempt, late ? 'failed' : 'pending')
  if (settled) return settled
  const key = acquirerKey(row)
  const outcome: ChargeOutcome = made
    ? await deps.acquirer.charge({ key, token, amount_cents: row.amount_cents, currency: row.currency })
    : await deps.acquirer.find(key)
  return (await deps.db.write((tx, emit) => settleTransaction(tx, emit, row.id, outcome))) ?? pendingAnswer(row)
}

/** The acquirer's idempotency key of an attempt. */
export function acquirerKey(row: Pick<TransactionRow, 'payment_intent_id' | 'attempt'>): string {
  return `${row.payment_intent_id}:${row.attempt}`
}

/** The answer while the outcome is unknown. It is no event: nobody stores it, and the outcome follows as one. */
function pendingAnswer(row: TransactionRow): Message {
  return {
    id: newId('evt'),
    name: 'payment_attempt.pending',
    occurred_at: new Date().toISOString(),
    merchant_id: row.merchant_id,
    target_id: row.payable_id ?? null,
    correlation_id: row.correlation_id,
    request_id: null,
    actor: { type: 'system', id: null },
    data: { payment_intent_id: row.payment_intent_id, attempt: row.attempt },
  }
}
