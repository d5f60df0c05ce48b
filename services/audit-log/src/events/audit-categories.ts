import { type AuditCategory, type EventDeclaration, events, operations } from '@cobro/contracts'

const declaredPaths = operations.map(({ path, audit }) => ({ segments: segmentsOf(path), audit }))

/** The category of an event of a newer release, by the first word of its name. */
const ofFirstWord = byWord({
  checkout: ['checkout_session', 'hosted_page'],
  payment: ['payment', 'payment_link', 'transaction', 'refund', 'dispute', 'settlement', 'balance_snapshot'],
  webhook: ['webhook', 'webhook_endpoint'],
  auth: ['auth'],
})

const declared = new Map<string, EventDeclaration>(Object.entries(events))

/**
 * Returns `error` for a 5xx, else the category of the operation that shares most leading segments.
 * A path that shares only the first segment with operations, such as `/api/unknown`, is `api`.
 */
export function categoryOfCall(path: string, statusCode: number): AuditCategory {
  if (statusCode >= 500) return 'error'
  const called = segmentsOf(path)
  let best = { shared: 0, audit: 'api' as AuditCategory }
  for (const { segments, audit } of declaredPaths) {
    const shared = sharedSegments(segments, called)
    if (shared > best.shared) best = { shared, audit }
  }
  return best.shared > 1 ? best.audit : 'api'
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1)
}

function sharedSegments(declared: readonly string[], called: readonly string[]): number {
  const end = declared.findIndex((segment, at) => segment !== called[at] && !(segment.startsWith(':') && called[at]))
  return end === -1 ? declared.length : end
}

/**
 * Returns the category of an event, or null if the log does not record it.
 * Events unknown to this release are recorded, because services are deployed separately.
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
