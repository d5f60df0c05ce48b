import type { DeclineReason, Metadata, TransactionStatus } from '@cobro/contracts'
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** One attempt to move money. `attempt` numbers the attempts under a payment intent. */
export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.string().primary(),
    merchant_id: p.string(),
    type: p.string().$type<'payment'>(),
    correlation_id: p.string(),
    payment_intent_id: p.string().nullable(),
    attempt: p.integer().nullable(),
    payable_id: p.string().nullable(),
    payment_link_id: p.string().nullable(),
    order_id: p.string().nullable(),
    reference: p.string().nullable(),
    payer_email: p.string().nullable(),
    rail: p.string().$type<'online_cnp' | 'inperson_cp'>(),
    payment_method: p.string().$type<'card' | 'cash'>(),
    status: p.string().$type<TransactionStatus>(),
    amount_cents: p.bigint('number'),
    currency: p.string(),
    fee_cents: p.bigint('number'),
    card: p.json<{ brand: string; last4: string }>().nullable(),
    customer_ref: p.string().nullable(),
    decline_reason: p.string().$type<DeclineReason | 'processing_error'>().nullable(),
    risk_score: p.double().nullable(),
    terminal_id: p.string().nullable(),
    metadata: p.json<Metadata>().nullable(),
    refund_status: p.string().$type<'processing' | 'completed' | 'failed'>().nullable(),
    refund_id: p.string().nullable(),
    refund_requested_at: p.datetime(3).nullable(),
    refunded_at: p.datetime(3).nullable(),
    /** The acquirer's own name for the charge. */
    acquirer_reference: p.string().nullable(),
    /** The event that told checkout the outcome, so that a repeated command gets the very same answer. */
    settled_event_id: p.string().nullable(),
    /** When the acquirer is asked again about a charge whose outcome is unknown. */
    next_check_at: p.datetime(3).nullable(),
    check_count: p.integer(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    captured_at: p.datetime(3).nullable(),
  },
})

export type TransactionRow = InferEntity<typeof TransactionEntity>
