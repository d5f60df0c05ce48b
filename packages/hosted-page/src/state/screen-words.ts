import type { Messages } from '../text/messages-es.ts'
import { isVoucherComing, type PageState, type Screen } from './page-state.ts'

/** Returns a screen's title and text, which for some screens depend on how the payer got there. */
export function screenWords(screen: Exclude<Screen, 'form' | 'loading'>, state: PageState, text: Messages) {
  const { session, leaving } = state
  if (screen === 'processing' && isVoucherComing(state)) return text.variants.issuing
  if (screen === 'completed' && session?.transaction_status === 'Refunded') return text.variants.refunded
  // A payer who returns to the address must not think that they have paid again.
  if (screen === 'completed' && !leaving) return text.variants.already_paid
  // A payer with a voucher must not read that nothing was charged: they may have paid it.
  if (screen === 'expired' && session?.had_voucher) return text.variants.voucher_expired
  if (screen === 'cancelled' && session?.had_voucher) return text.variants.voucher_cancelled
  if (screen === 'cancelled' && (session?.attempts_left ?? 1) <= 0) return text.variants.exhausted
  return text.screens[screen]
}
