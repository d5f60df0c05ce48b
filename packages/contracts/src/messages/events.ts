import { z } from 'zod'
import { merchantStatuses } from '../declarations/callers.ts'
import { type EventDeclaration, event, recorded } from '../declarations/event.ts'
import { id, storedId } from '../fields/ids.ts'
import { named } from '../fields/pagination.ts'
import { isoTime } from '../fields/times.ts'
import { checkoutSession } from '../resources/checkout-sessions.ts'
import { blockedPayment, unblockedPayment } from '../resources/payment-blocks.ts'
import { paymentLink } from '../resources/payment-links.ts'
import { transaction } from '../resources/transactions.ts'
import { users } from '../resources/users.ts'
import { ofAttemptOutcome } from './attempt-outcome-event.ts'
import { httpRequest } from './http-request.ts'
import { moneyEvents } from './money-events.ts'
import { ofPayer } from './payer-event.ts'

const ofTransaction = (description: string) =>
  event({
    data: transaction,
    category: 'payment',
    webhook: { description, object: 'transaction' },
    publishers: ['transactions'],
    consumers: [],
  })

/** A refund that is not confirmed yet. Merchants receive `payment.refunded` once it is. */
const ofRefund = recorded('transactions', 'payment', transaction)
const ofTransactionChange = recorded('transactions', 'payment', z.object({ id: id('txn') }))

const ofSession = (description: string) =>
  event({
    data: checkoutSession,
    category: 'checkout',
    webhook: { description, object: 'checkout_session' },
    publishers: ['checkout'],
    consumers: [],
  })

const aPayment = named('PaymentObject', z.union([transaction, checkoutSession, paymentLink]))
const anyObject = 'transaction, checkout_session or payment_link'

/** An event of a transaction, a session or a link; the data says which. */
const ofPayment = (description: string) =>
  event({
    data: aPayment,
    category: 'payment',
    webhook: { description, object: anyObject },
    publishers: ['checkout', 'transactions'],
    consumers: [],
  })

/** The end of a session or link, which also ends its open voucher. */
const ofPayableEnd = (description: string) =>
  event({
    data: aPayment,
    category: 'payment',
    webhook: { description, object: 'checkout_session or payment_link' },
    publishers: ['checkout'],
    consumers: ['transactions'],
  })

const ofLink = (description: string) =>
  event({
    data: paymentLink,
    category: 'payment',
    webhook: { description, object: 'payment_link' },
    publishers: ['checkout'],
    consumers: [],
  })

/** A change of a session or link for the audit log. Merchants receive another event. */
const ofSessionChange = recorded('checkout', 'checkout', z.object({ id: id('cs') }))
const ofLinkChange = recorded('checkout', 'payment', z.object({ id: id('pl') }))

const merchant = z.object({ id: id('mrc'), name: z.string(), status: z.enum(merchantStatuses), version: z.int() })
const ofMerchant = event({ ...recorded('gateway', 'admin', merchant), consumers: ['checkout'] })

/** A user as the audit log stores it: its permissions, without personal data. */
const user = users.row
  .pick({ id: true, role: true, merchants: true, status: true })
  .extend({ access: z.string().optional() })
const ofUser = recorded('gateway', 'admin', user)

const ofAuth = recorded('gateway', 'auth', z.object({ id: z.string().nullable() }))
const apiKeyName = z.object({ id: id('key'), name: z.string() })
const ofApiKey = <D extends z.ZodObject>(data: D) => recorded('gateway', 'admin', data)

const ofWebhook = <D extends z.ZodObject>(data: D) => recorded('webhooks-dispatcher', 'webhook', data)
const ofEndpoint = ofWebhook(z.object({ id: id('whk') }))
/** A disabled or deleted endpoint: why, if automatic, and how many deliveries were cancelled. */
const ofEndpointEnd = ofWebhook(
  z.object({
    id: id('whk'),
    disabled_reason: z.string().nullable().optional(),
    cancelled_deliveries: z.int().optional(),
  }),
)
const ofDelivery = ofWebhook(
  z.object({
    id: id('whd'),
    webhook_id: id('whk'),
    event_id: id('evt'),
    attempt: z.int(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    /** Absent in events of the release before. */
    duration_ms: z.int().nullable().optional(),
  }),
)

const ofSucursal = recorded('transactions', 'admin', z.object({ id: id('suc') }))
const ofTerminal = recorded('transactions', 'admin', z.object({ id: id('trm') }))
/** A manual action on a delivery. */
const ofDeliveryByHand = ofWebhook(z.object({ id: id('whd'), webhook_id: id('whk'), event_id: id('evt') }))

/** A violation of the payer's page's policy, as a browser reports it: from a stranger, so nothing in it is certain. */
const policyViolation = z.object({
  /** The session or link in the page's address. */
  id: storedId<'cs' | 'pl'>().nullable(),
  directive: z.string(),
  /** The origin of what the browser blocked, or a word such as `inline`. */
  blocked_origin: z.string(),
  /** The file of ours or the foreign origin whose script did it. */
  source_file: z.string().nullable(),
  source_line: z.int().nullable(),
})

/** Every event, by its name, which is also its routing key. */
export const events = {
  'payment.approved': event({
    ...ofTransaction('A payment was approved and its funds captured'),
    consumers: ['gateway'],
  }),
  'payment.pending': ofTransaction('A payment waits, for instance for cash to be paid in'),
  'payment.declined': ofTransaction('The issuer declined a payment'),
  'payment.refunded': event({ ...ofTransaction('A full refund was confirmed'), consumers: ['checkout', 'gateway'] }),
  'payment.chargeback': ofTransaction('The cardholder disputed a payment'),
  'payment.failed': ofPayment('A payment failed for a technical reason, or a session or link expired'),
  'payment.expired': ofPayableEnd('A session or link ran out of time'),
  'payment.cancelled': event({
    ...ofPayment('A session, a link or a pending manual transaction was cancelled'),
    consumers: ['transactions'],
  }),
  'payment.duplicate': ofPayment('Something already paid was paid or tried again, or cash was paid too late'),
  'payment_link.created': ofLink('A payment link was created'),
  'payment_link.paid': ofLink('A payment link was paid'),
  'checkout_session.created': ofSession('A hosted checkout session was opened'),
  'checkout_session.completed': ofSession('A hosted checkout session was paid, expired or was cancelled'),
  'webhook.test': event({
    data: z.looseObject({}),
    category: 'webhook',
    webhook: { description: 'A test delivery that was requested', object: 'webhook' },
    publishers: ['webhooks-dispatcher'],
    consumers: [],
  }),

  'checkout_session.viewed': ofSessionChange,
  'checkout_session.expired': ofSessionChange,
  'checkout_session.cancelled': ofSessionChange,
  'checkout_session.updated': ofSessionChange,
  'payment_link.viewed': ofLinkChange,
  'payment_link.updated': ofLinkChange,
  'payment_link.expired': ofLinkChange,
  'payment_link.cancelled': ofLinkChange,
  'payment.attempted': recorded(
    'checkout',
    'payment',
    z.object({
      id: storedId<'cs' | 'pl'>(),
      attempt: z.int(),
      amount_cents: z.int(),
      currency: z.string(),
      card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
    }),
  ),
  'payment.blocked': recorded('checkout', 'payment', blockedPayment),
  'payment.unblocked': recorded('checkout', 'payment', unblockedPayment),
  'hosted_page.csp_violated': recorded('checkout', 'checkout', policyViolation),
  'payment.refund_requested': ofRefund,
  'payment.refund_failed': ofRefund,
  'transaction.updated': ofTransactionChange,
  'transaction.deleted': ofTransactionChange,
  'payment_attempt.settled': ofAttemptOutcome,

  'merchant.created': ofMerchant,
  'merchant.updated': ofMerchant,
  'merchant.deleted': ofMerchant,
  'merchant.resynced': ofMerchant,
  'user.created': ofUser,
  'user.updated': ofUser,
  'user.deleted': ofUser,
  'user.setup_token_issued': ofUser,
  'api_key.created': ofApiKey(apiKeyName.extend({ scopes: z.array(z.string()).nullable().optional() })),
  'api_key.renamed': ofApiKey(apiKeyName),
  'api_key.allowed_ips_changed': ofApiKey(apiKeyName.extend({ allowed_ips: z.array(z.string()).nullable() })),
  'api_key.scopes_changed': ofApiKey(apiKeyName.extend({ scopes: z.array(z.string()).nullable() })),
  'api_key.rotated': ofApiKey(apiKeyName.extend({ expires_at: isoTime, successor_id: id('key') })),
  'api_key.revoked': ofApiKey(apiKeyName),
  'auth.login': ofAuth,
  'auth.confirmed': ofAuth,
  'auth.factor_added': ofAuth,
  'auth.factor_removed': ofAuth,
  'auth.recovery_code_used': ofAuth,
  'auth.login_failed': ofAuth,
  'auth.refresh_reused': ofAuth,
  'auth.logout': ofAuth,
  'auth.other_logins_ended': ofAuth,
  'auth.password_set': ofAuth,
  'auth.password_refused': ofAuth,
  'auth.password_reset_requested': ofAuth,
  'auth.signing_key_rotated': ofAuth,
  'auth.signing_keys_replaced': ofAuth,

  'webhook_endpoint.created': ofEndpoint,
  'webhook_endpoint.updated': ofEndpoint,
  'webhook_endpoint.deleted': ofEndpointEnd,
  'webhook_endpoint.rotated': ofEndpoint,
  'webhook_endpoint.redelivered': ofWebhook(z.object({ id: id('whk'), redelivered_deliveries: z.int() })),
  'webhook_endpoint.disabled': event({ ...ofEndpointEnd, consumers: ['gateway'] }),
  'webhook.delivered': ofDelivery,
  'webhook.attempt_failed': ofDelivery,
  'webhook.exhausted': ofDelivery,
  'webhook.requested': ofDeliveryByHand,
  'webhook.redelivered': ofDeliveryByHand,
  'webhook.cancelled': ofDeliveryByHand,
  'webhook.deleted': ofDeliveryByHand,

  ...moneyEvents,

  'payer.exported': ofPayer,
  'payer.erased': ofPayer,

  'sucursal.created': ofSucursal,
  'sucursal.updated': ofSucursal,
  'sucursal.deleted': ofSucursal,
  'terminal.created': ofTerminal,
  'terminal.updated': ofTerminal,
  'terminal.deleted': ofTerminal,

  'http.request': recorded('gateway', 'api', httpRequest),
} satisfies Record<string, EventDeclaration>

export type EventName = keyof typeof events
/** The data of an event in code: times are dates. */
export type EventData<N extends EventName> = z.output<(typeof events)[N]['data']>
