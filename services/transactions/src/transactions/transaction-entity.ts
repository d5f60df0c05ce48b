import { type FeeParts, type Metadata, metadataTerms, type Transaction } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One attempt to move money. `attempt` numbers the attempts under a payment intent. */
export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    type: p.text().$type<Transaction['type']>(),
    correlation_id: p.text(),
    payment_intent_id: p.text().strictNullable(),
    attempt: p.integer().strictNullable(),
    payable_id: p.text().strictNullable(),
    payment_link_id: p.text().strictNullable(),
    order_id: p.text().strictNullable(),
    reference: p.text().strictNullable(),
    payer_email: p.text().strictNullable(),
    rail: p.text().$type<Transaction['rail']>(),
    payment_method: p.text().$type<Transaction['payment_method']>(),
    status: p.text().$type<Transaction['status']>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    fee_cents: p.bigint('number'),
    /** The rule that the fee follows, as it was when it was applied, and what came of it. */
    fee_parts: p.json<FeeParts>().strictNullable(),
    card: p.json<Transaction['card']>().strictNullable(),
    customer_ref: p.text().strictNullable(),
    decline_reason: p.text().$type<Transaction['decline_reason']>().strictNullable(),
    risk_score: p.double().$type<number>().strictNullable(),
    terminal_id: p.text().strictNullable(),
    metadata: p.json<Transaction['metadata']>().strictNullable(),
    /** What it is found by in its metadata: it follows from that with every write. */
    metadata_terms: p
      .array()
      .onCreate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata))
      .onUpdate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata)),
    /** Made by the table. */
    search_text: p.text().persist(false).hidden().strictNullable(),
    refund_status: p.text().$type<Transaction['refund_status']>().strictNullable(),
    refund_id: p.text().strictNullable(),
    refund_requested_at: p.datetime(3).strictNullable(),
    refunded_at: p.datetime(3).strictNullable(),
    /** The acquirer's own name for the charge. */
    acquirer_reference: p.text().strictNullable(),
    /** The event that told checkout the outcome, so that a repeated command gets the very same answer. */
    settled_event_id: p.text().strictNullable(),
    /** When the acquirer is asked again about an outcome that is unknown, or a voucher is to be withdrawn. */
    next_check_at: p.datetime(3).strictNullable(),
    check_count: p.integer(),
    voucher_reference: p.text().strictNullable(),
    voucher_barcode: p.text().strictNullable(),
    /** Stands before the voucher is asked for. */
    voucher_due_at: p.datetime(3).strictNullable(),
    /** The transaction that had ended when this money came after all. */
    late_payment_of: p.text().strictNullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    captured_at: p.datetime(3).strictNullable(),
    /** One that was entered by hand and deleted is kept, and seen by nobody. */
    deleted_at: p.datetime(3).strictNullable(),
  },
})

export type TransactionRow = InferEntity<typeof TransactionEntity>

/** Whether it was entered by hand and never went through the acquirer. */
export function isManual({ payment_intent_id }: Pick<TransactionRow, 'payment_intent_id'>): boolean {
  return payment_intent_id == null
}
