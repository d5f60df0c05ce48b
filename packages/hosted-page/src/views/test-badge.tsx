import type { PageProps } from './page-props.ts'

/** Says that this payment moves no money. Nothing where it does. */
export function TestBadge({ state, text }: PageProps) {
  return state.session?.environment === 'sandbox' ? <span class="test-badge">{text.sandbox}</span> : null
}
