import { type DeclineReason, type Metadata, metadataTerms, type TransactionStatus } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One attempt to move money. `attempt` numbers the attempts under a payment intent. */
export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.text().primary(),
    merchant_id: p.text(),
    type: p.text().$type<'payment'>(),
    correlation_id: p.text(),
    payment_intent_id: p.text().nullable(),
    attempt: p.integer().nullable(),
    payable_id: p.text().nullable(),
    payment_link_id: p.text().nullable(),
    order_id: p.text().nullable(),
    reference: p.text().nullable(),
    payer_email: p.text().nullable(),
    rail: p.text().$type<'online_cnp' | 'inperson_cp'>(),
    payment_method: p.text().$type<'card' | 'cash'>(),
    status: p.text().$type<TransactionStatus>(),
    amount_cents: p.bigint('number'),
    currency: p.text(),
    fee_cents: p.bigint('number'),
    /** The rule that the fee follows, as it was when it was applied, and what came of it. */
    fee_parts: p.json<Record<string, string | number | null>>().nullable(),
    card: p.json<{ brand: string; last4: string }>().nullable(),
    customer_ref: p.text().nullable(),
    decline_reason: p.text().$type<DeclineReason | 'processing_error'>().nullable(),
    risk_score: p.double().nullable(),
    terminal_id: p.text().nullable(),
    metadata: p.json<Metadata>().nullable(),
    /** What it is found by in its metadata: it follows from that with every write. */
    metadata_terms: p
      .array()
      .onCreate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata))
      .onUpdate((row: { metadata?: Metadata | null }) => metadataTerms(row.metadata)),
    /** Made by the table. */
    search_text: p.text().persist(false).hidden().nullable(),
    refund_status: p.text().$type<'processing' | 'completed' | 'failed'>().nullable(),
    refund_id: p.text().nullable(),
    refund_requested_at: p.datetime(3).nullable(),
    refunded_at: p.datetime(3).nullable(),
    /** The acquirer's own name for the charge. */
    acquirer_reference: p.text().nullable(),
    /** The event that told checkout the outcome, so that a repeated command gets the very same answer. */
    settled_event_id: p.text().nullable(),
    /** When the acquirer is asked again about an outcome that is unknown, or a voucher is to be withdrawn. */
    next_check_at: p.datetime(3).nullable(),
    check_count: p.integer(),
    voucher_reference: p.text().nullable(),
    voucher_barcode: p.text().nullable(),
    /** Stands before the voucher is asked for. */
    voucher_due_at: p.datetime(3).nullable(),
    /** The transaction that had ended when this money came after all. */
    late_payment_of: p.text().nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    captured_at: p.datetime(3).nullable(),
    /** One that was entered by hand and deleted is kept, and seen by nobody. */
    deleted_at: p.datetime(3).nullable(),
  },
})

export type TransactionRow = InferEntity<typeof TransactionEntity>

/** Whether it was entered by hand and never went through the acquirer. */
export function isManual({ payment_intent_id }: Pick<TransactionRow, 'payment_intent_id'>): boolean {
  return payment_intent_id == null
}
