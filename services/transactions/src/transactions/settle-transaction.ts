import type { Outcome } from '@cobro/acquirer'
import type { EventData, Message, TransactionStatus } from '@cobro/contracts'
import { type Emit, eventMessage, type Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { nextCheckAt } from './check-schedule.ts'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'
import { type TransactionMove, transactionStep } from './transaction-states.ts'

/** What the acquirer said of a charge, or what a reversal made of it. */
export type ChargeOutcome = Outcome | { status: 'not_found' } | { status: 'reversed' }

const moveOf = { approved: 'approve', declined: 'decline', failed: 'fail', reversed: 'fail' } as const satisfies Record<
  string,
  TransactionMove
>

/** The statuses that a transaction has once a move was made; later ones follow from them and contradict nothing. */
const settledAs: Record<TransactionMove, readonly TransactionStatus[]> = {
  approve: ['approved', 'refunded', 'chargeback'],
  decline: ['declined'],
  fail: ['failed'],
  expire: ['expired'],
  cancel: ['cancelled'],
}

/**
 * Writes down what a charge came to: state and events in the caller's transaction. Gives the message that tells checkout,
 * or undefined while nobody knows the outcome; `whenUnknown` then says when the acquirer is asked again. An outcome that
 * contradicts the one that stands is a fault that nobody may paper over: it is thrown, so that it is logged and parked.
 */
export async function settleTransaction(
  tx: Tx,
  emit: Emit,
  id: string,
  outcome: ChargeOutcome,
  whenUnknown: (row: TransactionRow, now: Date) => void = hastenCheck,
): Promise<Message | undefined> {
  const row = await tx.findOneOrFail(TransactionEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const now = new Date()
  if (outcome.status === 'processing' || outcome.status === 'not_found') {
    if (row.status === 'pending') whenUnknown(row, now)
    return settledMessage(row)
  }
  const move = moveOf[outcome.status]
  const step = transactionStep(row.status, move)
  if (step) {
    applyOutcome(row, outcome, now)
    row.status = step.to
    for (const name of step.emits) emit(name, row as never)
    return tellSettled(emit, row)
  }
  if (settledAs[move].includes(row.status)) return settledMessage(row)
  throw new Error(`Transaction ${id} is ${row.status}, and the acquirer says ${outcome.status}.`)
}

/** Tells checkout what an attempt came to, and notes under which event id. Nothing is told of what is still pending. */
export function tellSettled(emit: Emit, row: TransactionRow): Message | undefined {
  const data = outcomeOf(row)
  if (!data) return undefined
  const { merchant_id, correlation_id } = row
  const message = emit('payment_attempt.settled', data, {
    merchant_id,
    correlation_id,
    target_id: row.payable_id ?? null,
  })
  row.settled_event_id = message.id
  return message
}

/** The message that told checkout the outcome, made again under its own id: the answer to a command that came twice. */
export function settledMessage(row: TransactionRow): Message | undefined {
  const data = outcomeOf(row)
  if (!data || !row.settled_event_id) return undefined
  const { merchant_id, correlation_id } = row
  const message = eventMessage('payment_attempt.settled', data, {
    merchant_id,
    correlation_id,
    target_id: row.payable_id ?? null,
  })
  return { ...message, id: row.settled_event_id }
}

const outcomes: Record<TransactionStatus, EventData<'payment_attempt.settled'>['status'] | undefined> = {
  pending: undefined,
  approved: 'approved',
  refunded: 'approved',
  chargeback: 'approved',
  declined: 'declined',
  failed: 'failed',
  expired: 'failed',
  cancelled: 'failed',
}

function outcomeOf(row: TransactionRow): EventData<'payment_attempt.settled'> | undefined {
  const { payment_intent_id, attempt, decline_reason, id } = row
  const status = outcomes[row.status]
  if (payment_intent_id == null || attempt == null || status === undefined) return undefined
  return { payment_intent_id, attempt, status, decline_reason: decline_reason ?? null, transaction_id: id }
}

function applyOutcome(row: TransactionRow, outcome: Exclude<ChargeOutcome, { status: 'not_found' }>, now: Date): void {
  row.updated_at = now
  row.next_check_at = null
  if (outcome.status !== 'reversed') {
    row.acquirer_reference = outcome.acquirer_reference ?? null
    row.risk_score = outcome.risk_score ?? null
  }
  if (outcome.status === 'approved') row.captured_at = now
  if (outcome.status === 'declined') row.decline_reason = outcome.decline_reason ?? 'card_declined'
  if (outcome.status === 'failed' || outcome.status === 'reversed') row.decline_reason = 'processing_error'
}

/** Asks soon. A check that is due sooner stays, and none is put off: whoever asked besides must not delay the clock. */
function hastenCheck(row: TransactionRow, now: Date): void {
  const soon = nextCheckAt(0, now)
  if (!row.next_check_at || row.next_check_at > soon) row.next_check_at = soon
}
