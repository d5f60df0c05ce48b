import type { SessionRow } from './session-entity.ts'

/** Returns the merchant's URL for the payer's return, with the session's id and status as query. */
export function redirectUrl(
  session: Pick<SessionRow, 'id' | 'status' | 'return_url' | 'success_url' | 'cancel_url'>,
): string | null {
  const { return_url, success_url, cancel_url, status } = session
  const target = status === 'completed' ? (success_url ?? return_url) : (cancel_url ?? return_url)
  if (target == null) return null
  const url = new URL(target)
  url.searchParams.set('session_id', session.id)
  url.searchParams.set('status', status)
  return url.href
}
