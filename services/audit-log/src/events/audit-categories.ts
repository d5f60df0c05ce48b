import { type AuditCategory, type EventDeclaration, events } from '@cobro/contracts'

/** The category of a request, by a segment of its path. */
const ofSegment = byWord({
  checkout: ['checkout', 'hosted', 'sessions', 'checkout-sessions'],
  payment: [
    'links',
    'payment-links',
    'payments',
    'transactions',
    'settlements',
    'disputes',
    'balance-snapshots',
    'ledger',
    'acquirer',
    'vouchers',
  ],
  webhook: ['webhooks', 'webhook-deliveries'],
  auth: ['auth', 'jwks.json'],
  admin: [
    'api-keys',
    'merchants',
    'users',
    'fee-rules',
    'rolling-reserve',
    'settlement-config',
    'sucursales',
    'terminales',
  ],
})

/** The category of an event of a newer release, by the first word of its name. */
const ofFirstWord = byWord({
  checkout: ['checkout_session'],
  payment: ['payment', 'payment_link', 'transaction', 'refund', 'dispute', 'settlement', 'balance_snapshot'],
  webhook: ['webhook', 'webhook_endpoint'],
  auth: ['auth'],
})

const declared = new Map<string, EventDeclaration>(Object.entries(events))

/** Returns the category of a request: `error` for a 5xx, else the category of the last known segment of its path. */
export function categoryOfCall(path: string, statusCode: number): AuditCategory {
  if (statusCode >= 500) return 'error'
  const known = path.split('/').findLast(segment => ofSegment.has(segment)) ?? ''
  return ofSegment.get(known) ?? 'api'
}

/**
 * Returns the category of an event, or null if the log does not record it. Events that this release does not know are recorded,
 * because services are deployed separately.
 */
export function categoryOfEvent(name: string): AuditCategory | null {
  const known = declared.get(name)
  if (known) return known.category
  const [word = ''] = name.split('.')
  return ofFirstWord.get(word) ?? 'admin'
}

function byWord(words: Partial<Record<AuditCategory, string[]>>): Map<string, AuditCategory> {
  const entries = Object.entries(words) as [AuditCategory, string[]][]
  return new Map(entries.flatMap(([category, list]) => list.map(word => [word, category])))
}
