import { StatusBadge } from './status-badge.tsx'

/** The status of an HTTP answer. */
export function CodeBadge({ code }: { code: number | null }) {
  if (code === null) return null
  return <StatusBadge status={code < 400 ? 'succeeded' : code < 500 ? 'disabled' : 'failed'} word={String(code)} />
}
