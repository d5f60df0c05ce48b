import { type AuditCategory, type EventDeclaration, events } from '@cobro/contracts'

/** What a call is about, by the segments of its path. */
const ofSegment: Record<string, AuditCategory> = {
  checkout: 'checkout',
  hosted: 'checkout',
  sessions: 'checkout',
  'checkout-sessions': 'checkout',
  links: 'payment',
  'payment-links': 'payment',
  payments: 'payment',
  transactions: 'payment',
  settlements: 'payment',
  disputes: 'payment',
  'balance-snapshots': 'payment',
  ledger: 'payment',
  vouchers: 'payment',
  acquirer: 'payment',
  webhooks: 'webhook',
  'webhook-deliveries': 'webhook',
  auth: 'auth',
  'jwks.json': 'auth',
  'api-keys': 'admin',
  merchants: 'admin',
  users: 'admin',
  'fee-rules': 'admin',
  'rolling-reserve': 'admin',
  'settlement-config': 'admin',
  sucursales: 'admin',
  terminales: 'admin',
}

/** What an event of a newer release is about, by the first word of its name. */
const ofWord: Record<string, AuditCategory> = {
  checkout_session: 'checkout',
  payment: 'payment',
  payment_link: 'payment',
  refund: 'payment',
  dispute: 'payment',
  settlement: 'payment',
  webhook: 'webhook',
  webhook_endpoint: 'webhook',
  auth: 'auth',
}

/** The category of an HTTP call: `error` where we failed, else by the last segment of its path that says something. */
export function categoryOfCall(path: string, statusCode: number): AuditCategory {
  if (statusCode >= 500) return 'error'
  const known = path.split('/').findLast(segment => Object.hasOwn(ofSegment, segment))
  return known === undefined ? 'api' : (ofSegment[known] ?? 'api')
}

/**
 * The category of an event: null for what is of no interest to the log. An event that this release does not know is kept all
 * the same, since services deploy alone and nothing may be missing.
 */
export function categoryOfEvent(name: string): AuditCategory | null {
  const declared = (events as Record<string, EventDeclaration>)[name]
  if (declared) return declared.category
  const [word = ''] = name.split('.')
  return ofWord[word] ?? 'admin'
}
