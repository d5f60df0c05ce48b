import type { Id } from '@cobro/contracts'
import type { DemoAttempt, DemoHistory, DemoOrder } from '@cobro/contracts/demo'
import type { NewRow } from '@cobro/database'
import { timings } from '@cobro/runtime'
import type { LinkRow } from '../payables/link-entity.ts'
import type { SessionRow } from '../payables/session-entity.ts'
import type { PaymentAttemptRow } from '../payment-attempts/payment-attempt-entity.ts'

type Shop = Pick<DemoHistory, 'merchant' | 'hosted_url'>

const sessionStatuses = { open: 'pending', paid: 'completed', expired: 'expired', cancelled: 'cancelled' } as const
const linkStatuses = { open: 'active', paid: 'paid', expired: 'expired', cancelled: 'cancelled' } as const

/** Returns the row of an order that is a session. */
export function sessionFields(shop: Shop, order: DemoOrder): Omit<NewRow<SessionRow>, 'payment_id'> {
  const id = order.payable_id as Id<'cs'>
  const { amount_cents, reference, customer, line_items, payment_method_types, status } = order
  return {
    ...payableFields(shop, order),
    ...{ id, customer, line_items, payment_method_types },
    url: new URL(`/checkout/${id}`, shop.hosted_url).href,
    status: sessionStatuses[status],
    transaction_status: transactionStatusOf(order),
    amount_total: amount_cents,
    external_id: reference,
    session_type: 'payment',
    checkout_type: 'hosted',
    success_url: 'https://espiga.example.mx/gracias',
    cancel_url: 'https://espiga.example.mx/carrito',
    ui_config_version: 'V1',
    customer_email: customer.email ?? null,
    modified_at: changedAt(order),
  }
}

/** Returns the row of an order that is a payment link. */
export function linkFields(shop: Shop, order: DemoOrder): NewRow<LinkRow> {
  const id = order.payable_id as Id<'pl'>
  const { amount_cents, concepto, reference, customer, payment_method_types, status, ended_at } = order
  return {
    ...payableFields(shop, order),
    ...{ id, amount_cents, concepto, reference, payment_method_types },
    url: new URL(`/links/${id}`, shop.hosted_url).href,
    status: linkStatuses[status],
    payer_email: customer.email ?? null,
    updated_at: changedAt(order),
    paid_at: status === 'paid' ? ended_at : null,
  }
}

function payableFields({ merchant }: Shop, order: DemoOrder) {
  const { correlation_id, payment_intent_id, currency, viewed_at, created_at, expires_at, attempts, refund } = order
  return {
    ...{ correlation_id, payment_intent_id, currency, viewed_at, created_at, expires_at },
    merchant_id: merchant.id,
    merchant_name: merchant.name,
    transaction_id: attempts.find(({ status }) => status === 'approved')?.transaction_id ?? null,
    attempt_count: attempts.length,
    decline_count: attempts.filter(({ status }) => status === 'declined').length,
    refunded_at: refund?.status === 'completed' ? refund.ended_at : null,
  }
}

function transactionStatusOf({ status, refund, attempts }: DemoOrder): SessionRow['transaction_status'] {
  if (status === 'paid') return refund?.status === 'completed' ? 'Refunded' : 'Approved'
  if (status === 'expired') return 'Expired'
  if (status === 'cancelled') return 'Cancelled'
  const last = attempts.at(-1)?.status
  return last === 'declined' ? 'Declined' : last === 'failed' ? 'Failed' : 'Pending'
}

/** Returns when a session or link was last changed. */
function changedAt({ refund, ended_at, attempts, created_at }: DemoOrder): Date {
  const refundedAt = refund?.status === 'completed' ? refund.ended_at : null
  return refundedAt ?? ended_at ?? attempts.at(-1)?.ended_at ?? created_at
}

/** Returns the rows of an order's attempts, which have all ended. */
export function attemptFields({ merchant }: Shop, order: DemoOrder): NewRow<PaymentAttemptRow>[] {
  const { payment_intent_id, payable_id, correlation_id, amount_cents, currency, customer } = order
  return order.attempts.map((attempt, index) => ({
    ...{ payment_intent_id, payable_id, correlation_id, amount_cents, currency },
    ...outcomeFields(attempt),
    number: index + 1,
    merchant_id: merchant.id,
    payer_email: customer.email ?? null,
    deadline: new Date(attempt.created_at.getTime() + timings.deadline),
    resolve_count: 0,
  }))
}

function outcomeFields(attempt: DemoAttempt) {
  const { transaction_id, payment_method, card, status, decline_reason, voucher, created_at, ended_at } = attempt
  return {
    ...{ transaction_id, payment_method, card, status, decline_reason, created_at },
    voucher: voucher && { ...voucher, due_at: voucher.due_at.toISOString() },
    settled_at: ended_at,
  }
}
