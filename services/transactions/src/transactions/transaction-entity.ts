import {
  type FeeParts,
  type Id,
  type Metadata,
  metadataTerms,
  type PayableId,
  type Transaction,
} from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One attempt to move money. `attempt` numbers the attempts under a payment intent. */
export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.text().$type<Transaction['id']>().primary(),
    merchant_id: p.text().$type<Transaction['merchant_id']>(),
    type: p.text().$type<Transaction['type']>(),
    correlation_id: p.text().$type<Transaction['correlation_id']>(),
    payment_intent_id: p.text().$type<Transaction['payment_intent_id']>().strictNullable(),
    attempt: p.integer().strictNullable(),
    payable_id: p.text().$type<PayableId>().strictNullable(),
    payment_link_id: p.text().$type<Transaction['payment_link_id']>().strictNullable(),
    order_id: p.text().strictNullable(),
    reference: p.text().strictNullable(),
    payer_email: p.text().strictNullable(),
    rail: p.text().$type<Transaction['rail']>(),
    payment_method: p.text().$type<Transaction['payment_method']>(),
    status: p.text().$type<Transaction['status']>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    fee_cents: p.bigint('number'),
    /** The fee rule as it was when it was applied, and the fee and tax that it resulted in. */
    fee_parts: p.json<FeeParts>().strictNullable(),
    card: p.json<Transaction['card']>().strictNullable(),
    customer_ref: p.text().strictNullable(),
    decline_reason: p.text().$type<Transaction['decline_reason']>().strictNullable(),
    risk_score: p.double().$type<number>().strictNullable(),
    terminal_id: p.text().$type<Transaction['terminal_id']>().strictNullable(),
    metadata: p.json<Transaction['metadata']>().strictNullable(),
    /** The `path=text` terms that metadata searches match, derived on each write. */
    metadata_terms: p
      .array()
      .onCreate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata))
      .onUpdate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata)),
    /** A generated column. */
    search_text: p.text().persist(false).hidden().strictNullable(),
    refund_status: p.text().$type<Transaction['refund_status']>().strictNullable(),
    refund_id: p.text().$type<Transaction['refund_id']>().strictNullable(),
    refund_requested_at: p.datetime(3).strictNullable(),
    refunded_at: p.datetime(3).strictNullable(),
    /** When its latest dispute was opened. Triggers keep it. */
    disputed_at: p.datetime(3).strictNullable(),
    /** `by_hand` of its refund. */
    manual_refund: p.boolean().default(false),
    /** The acquirer's own id of the charge. */
    acquirer_reference: p.text().strictNullable(),
    /** The id of the `payment_attempt.settled` event, for the reply to a repeated command. */
    settled_event_id: p.text().$type<Id<'evt'>>().strictNullable(),
    /** When to ask the acquirer again about an unknown outcome, or to withdraw the voucher. */
    next_check_at: p.datetime(3).strictNullable(),
    check_count: p.integer(),
    voucher_reference: p.text().strictNullable(),
    voucher_barcode: p.text().strictNullable(),
    /** Stored before the voucher is requested. */
    voucher_due_at: p.datetime(3).strictNullable(),
    /** The transaction that had already ended when this payment arrived. */
    late_payment_of: p.text().$type<Transaction['id']>().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    captured_at: p.datetime(3).strictNullable(),
    /** A deleted manual transaction is kept but never returned. */
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type TransactionRow = InferEntity<typeof TransactionEntity>

/** Returns whether a transaction was entered manually and never went through the acquirer. */
export function isManual({ payment_intent_id }: Pick<TransactionRow, 'payment_intent_id'>): boolean {
  return payment_intent_id == null
}
