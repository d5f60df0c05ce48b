import { type AuditCategory, type EventDeclaration, events } from '@cobro/contracts'

/** What a call is about, by the segments of its path. */
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

/** What an event of a newer release is about, by the first word of its name. */
const ofFirstWord = byWord({
  checkout: ['checkout_session'],
  payment: ['payment', 'payment_link', 'transaction', 'refund', 'dispute', 'settlement', 'balance_snapshot'],
  webhook: ['webhook', 'webhook_endpoint'],
  auth: ['auth'],
})

const declared = new Map<string, EventDeclaration>(Object.entries(events))

/** The category of an HTTP call: `error` where we failed, else by the last segment of its path that says something. */
export function categoryOfCall(path: string, statusCode: number): AuditCategory {
  if (statusCode >= 500) return 'error'
  const known = path.split('/').findLast(segment => ofSegment.has(segment)) ?? ''
  return ofSegment.get(known) ?? 'api'
}

/**
 * The category of an event: null for what is of no interest to the log. An event that this release does not know is kept all
 * the same, since services deploy alone and nothing may be missing.
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
