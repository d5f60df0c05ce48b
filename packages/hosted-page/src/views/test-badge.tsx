import type { PageProps } from './page-props.ts'

/** Marks a sandbox payment. Renders nothing in production. */
export function TestBadge({ state, text }: PageProps) {
  return state.session?.environment === 'sandbox' ? <span class="test-badge">{text.sandbox}</span> : null
}
