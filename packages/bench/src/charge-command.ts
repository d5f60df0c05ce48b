import { type Id, type Message, newId } from '@cobro/contracts'
import { commandMessage } from '@cobro/database'
import { withCallContext } from '@cobro/runtime'

/** Returns a charge command of typical size, as checkout sends it. */
export function chargeCommand(merchant_id: Id<'mrc'>): Message {
  const correlation_id = newId('corr')
  const data = {
    payment_intent_id: newId('pi'),
    attempt: 1,
    payable_id: newId('cs'),
    payment_link_id: null,
    merchant_id,
    correlation_id,
    amount_cents: 25_000,
    currency: 'MXN',
    payment_method: 'card' as const,
    card: { brand: 'visa' as const, last4: '4242' },
    payer_email: 'ana@example.com',
    order_id: `order-${correlation_id.slice(-8)}`,
    reference: null,
    metadata: { plan: 'gold', seats: 5 },
    token: newId('tok'),
    deadline: new Date(Date.now() + 3_600_000),
  }
  return withCallContext({ request_id: newId('req'), actor: { type: 'key', id: newId('key') } }, () =>
    commandMessage('payment.charge', data, { target_id: data.payable_id }),
  )
}
