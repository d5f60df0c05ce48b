import type { ChargeOutcome } from '@cobro/acquirer'
import type { Message, TransactionStatus } from '@cobro/contracts'
import type { Emit, Tx } from '@cobro/database'
import { LockMode } from '@mikro-orm/core'
import { type CaptureTerms, captureTerms, postCaptureOn } from '../ledger/post-capture.ts'
import { bookLatePayment } from '../refunds/book-late-payment.ts'
import { nextCheckAt } from './check-schedule.ts'
import { makeMove } from './make-move.ts'
import { settledMessage, tellSettled } from './tell-settled.ts'
import { TransactionEntity, type TransactionRow } from './transaction-entity.ts'

/** What the acquirer said of a charge, or what a reversal made of it. */
export type ChargeResult = ChargeOutcome | { status: 'not_found' } | { status: 'reversed' }

/** Says when the acquirer is asked again about a transaction that it could say nothing of. */
export type WhenUnknown = (row: TransactionRow, now: Date) => void

const moveOf = { approved: 'approve', declined: 'decline', failed: 'fail', reversed: 'fail' } as const

/** The statuses that a transaction has once a move was made; later ones follow from them and contradict nothing. */
const settledAs: Record<(typeof moveOf)[keyof typeof moveOf], readonly TransactionStatus[]> = {
  approve: ['approved', 'refunded', 'chargeback'],
  decline: ['declined'],
  fail: ['failed'],
}

/** Statuses of a payment that has ended without money. What is approved after that is money that came late. */
const endedWithout: readonly TransactionStatus[] = ['failed', 'expired', 'cancelled']

/** Locks a transaction, and sees it as the last one who held it left it. */
export function lockTransaction(tx: Tx, id: string): Promise<TransactionRow> {
  return tx.findOneOrFail(TransactionEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
}

/**
 * Writes down what a charge came to: state and events in the caller's transaction. Gives the message that tells checkout,
 * or undefined while nobody knows the outcome; `whenUnknown` then says when the acquirer is asked again. An outcome that
 * contradicts the one that stands is a fault that nobody may paper over: it is thrown, so that it is logged and dead-lettered.
 */
export async function settleTransaction(
  tx: Tx,
  emit: Emit,
  id: string,
  outcome: ChargeResult,
  whenUnknown?: WhenUnknown,
): Promise<Message | undefined> {
  const row = await lockTransaction(tx, id)
  return settleLocked({ tx, emit }, row, outcome, { whenUnknown })
}

interface Settling {
  whenUnknown?: WhenUnknown
  /** Left out: they are read. */
  terms?: CaptureTerms
}

/** As `settleTransaction`, of a transaction that the caller has locked. */
export async function settleLocked(
  { tx, emit }: { tx: Tx; emit: Emit },
  row: TransactionRow,
  outcome: ChargeResult,
  { whenUnknown = hastenCheck, terms }: Settling = {},
): Promise<Message | undefined> {
  const now = new Date()
  if (outcome.status === 'processing' || outcome.status === 'not_found') {
    if (row.status === 'pending') whenUnknown(row, now)
    return settledMessage(row)
  }
  const move = moveOf[outcome.status]
  if (row.status === 'pending') {
    noteOutcome(row, outcome, now)
    if (outcome.status === 'approved') postCaptureOn(tx, row, terms ?? (await captureTerms(tx, [row])))
    makeMove(emit, row, move, now)
    return tellSettled(emit, row)
  }
  if (outcome.status === 'approved' && endedWithout.includes(row.status)) {
    await bookLatePayment(tx, emit, row, outcome)
    return settledMessage(row)
  }
  if (settledAs[move].includes(row.status)) return settledMessage(row)
  throw new Error(`Transaction ${row.id} is ${row.status}, and the acquirer says ${outcome.status}.`)
}

function noteOutcome(row: TransactionRow, outcome: Exclude<ChargeResult, { status: 'not_found' }>, now: Date): void {
  row.next_check_at = null
  row.updated_at = now
  if (outcome.status !== 'reversed') {
    row.acquirer_reference = outcome.acquirer_reference ?? null
    row.risk_score = outcome.risk_score ?? null
  }
  if (outcome.status === 'approved') row.captured_at = now
  if (outcome.status === 'declined') row.decline_reason = outcome.decline_reason ?? 'card_declined'
  if (outcome.status === 'failed' || outcome.status === 'reversed') row.decline_reason = 'processing_error'
}

/** Asks soon. A check that is due sooner stays, and none is put off: whoever asked besides must not delay the clock. */
export function hastenCheck(row: TransactionRow, now: Date): void {
  const soon = nextCheckAt(0, now)
  if (!row.next_check_at || row.next_check_at > soon) row.next_check_at = soon
}
