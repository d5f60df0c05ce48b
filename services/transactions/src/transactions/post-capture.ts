import type { Id } from '@cobro/contracts'
import { findRows, newRow, type Tx } from '@cobro/database'
import { chooseFeeRule } from '../fee-rules/choose-fee-rule.ts'
import { feeOf } from '../fee-rules/fee-amounts.ts'
import { FeeRuleEntity, type FeeRuleRow } from '../fee-rules/fee-rule-entity.ts'
import { LedgerPositionEntity } from '../ledger/ledger-entities.ts'
import { capturePostings, emptyPosition, feeReturnedPostings } from '../ledger/ledger-postings.ts'
import { lockPosition, postToPosition } from '../ledger/post-entries.ts'
import { exactCents, shareOf } from '../money/exact-cents.ts'
import { RollingReserveEntity, type RollingReserveRow } from '../rolling-reserve/rolling-reserve-entity.ts'
import { addDays, dayOf } from '../time/utc-days.ts'
import type { TransactionRow } from './transaction-entity.ts'

/** The active fee rules and rolling reserves of some merchants. */
export interface CaptureTerms {
  rules: FeeRuleRow[]
  reserves: RollingReserveRow[]
}

/** Loads the terms for all transactions that are about to be captured, with two queries at once. */
export async function captureTerms(
  tx: Tx,
  rows: readonly Pick<TransactionRow, 'merchant_id'>[],
): Promise<CaptureTerms> {
  const merchants = `{${[...new Set(rows.map(row => row.merchant_id))].join(',')}}`
  const [rules, reserves] = await Promise.all([
    findRows(tx, FeeRuleEntity, 'merchant_id = any(?) and active', [merchants]),
    findRows(tx, RollingReserveEntity, 'merchant_id = any(?) and active', [merchants]),
  ])
  return { rules, reserves }
}

/**
 * Posts the capture of a payment in the caller's transaction: fee, rolling reserve and the rest.
 * Also stores the fee and its parts on the transaction, so call it before emitting events about the row.
 */
export async function postCapture(tx: Tx, row: TransactionRow): Promise<void> {
  postCaptureOn(tx, row, await captureTerms(tx, [row]))
}

/** Does the same with terms that are already loaded. */
export function postCaptureOn(tx: Tx, row: TransactionRow, { rules, reserves }: CaptureTerms): void {
  const { merchant_id, currency } = row
  const own = rules.filter(rule => rule.merchant_id === merchant_id)
  const reserve = reserves.find(one => one.merchant_id === merchant_id && one.currency === currency)
  openPosition(tx, row, applyFee(row, own), reserve)
}

/** Posts the capture of a payment that is refunded at once: without a fee and without a hold. */
export function postFreeCapture(tx: Tx, row: TransactionRow): void {
  openPosition(tx, row, 0n, undefined)
}

/**
 * Returns the fee of a locked, captured payment that a refund returns as a duplicate: the merchant never wanted it. The parts of
 * the fee stay as they were computed.
 */
export async function returnFee(tx: Tx, row: TransactionRow, refundId: Id<'rfd'>): Promise<void> {
  if (row.fee_cents === 0) return
  const position = await lockPosition(tx, row.id)
  const postings = feeReturnedPostings(position, BigInt(row.fee_cents))
  postToPosition(tx, position, postings, { now: new Date(), source_id: refundId })
  row.fee_cents = 0
}

function applyFee(row: TransactionRow, rules: readonly FeeRuleRow[]): bigint {
  const { rail, payment_method, card, currency } = row
  const captured_at = capturedAt(row)
  const rule = chooseFeeRule(rules, { rail, payment_method, card_brand: card?.brand ?? null, currency, captured_at })
  if (!rule) return 0n
  const { fee, tax, total } = feeOf(BigInt(row.amount_cents), rule)
  const { id: rule_id, percent_bps, fixed_cents, min_fee_cents = null, max_fee_cents = null, tax_bps } = rule
  row.fee_cents = exactCents(total)
  row.fee_parts = {
    ...{ rule_id, percent_bps, fixed_cents, min_fee_cents, max_fee_cents, tax_bps },
    fee_cents: exactCents(fee),
    tax_cents: exactCents(tax),
  }
  return total
}

function openPosition(tx: Tx, row: TransactionRow, fee: bigint, reserve: RollingReserveRow | undefined): void {
  const { id: transaction_id, merchant_id, currency } = row
  const amount = BigInt(row.amount_cents)
  const hold = reserve ? shareOf(amount, reserve.percent_bps) : 0n
  const captured_on = dayOf(capturedAt(row))
  const position = newRow(tx, LedgerPositionEntity, {
    ...{ transaction_id, merchant_id, currency, captured_on },
    ...(reserve && hold > 0n ? { hold_until: addDays(captured_on, reserve.hold_days), reserve_id: reserve.id } : {}),
    ...emptyPosition,
    unsettled: true,
  })
  postToPosition(tx, position, capturePostings({ amount, fee, hold }), { now: row.updated_at })
}

function capturedAt({ id, captured_at }: TransactionRow): Date {
  if (!captured_at) throw new Error(`Transaction ${id} is posted before it was captured.`)
  return captured_at
}
