import { fieldNames } from '../cards/card-checks.ts'
import { messages } from '../text/messages.ts'
import { isCopied, isCutOff, isVoucherComing, localeOf, type PageState, screenOf } from './page-state.ts'
import { screenWords } from './screen-words.ts'

/** The minutes before the expiry at which the remaining time is announced. */
const announcedMinutes = [5, 1]

/** Returns the id to focus after a change: the first invalid field, the notice or a new title. */
export function focusAfter(state: PageState, before: PageState): string | undefined {
  if (state.refusals !== before.refusals) return fieldNames.find(field => state.faults[field])
  const screen = screenOf(state)
  // On the first screen the focus stays where the browser puts it.
  if (screen !== screenOf(before) && screenOf(before) !== 'loading' && !(screen === 'form' && state.notice))
    return 'title'
  if (!state.notice || state.notice === before.notice) return undefined
  // A total that changed by itself is announced, but does not move the focus out of a field.
  return state.notice.kind === 'amount_changed' && before.activity === 'idle' ? undefined : 'notice'
}

/** Returns what a screen reader announces after a change, besides the focused element. */
export function announcementAfter(state: PageState, before: PageState): string | undefined {
  const text = messages[localeOf(state)]
  if (state.activity === 'sending' && before.activity !== 'sending')
    return isVoucherComing(state) ? text.issuing : text.paying
  if (isCutOff(state) !== isCutOff(before)) return isCutOff(state) ? text.offline : text.online
  if (isCopied(state) && state.copiedAt !== before.copiedAt) return text.copied
  const { session } = state
  if (!session || !before.session || screenOf(state) !== 'form') return undefined
  const left = (page: PageState) => session.expires_at - page.now
  const minutes = announcedMinutes.find(one => left(before) > one * 60_000 && left(state) <= one * 60_000)
  return minutes === undefined ? undefined : text.minutesLeft(minutes)
}

/** Returns the document's title. */
export function titleOf(state: PageState): string {
  const screen = screenOf(state)
  const text = messages[localeOf(state)]
  if (screen === 'loading') return 'Cobro'
  if (screen !== 'form') return screenWords(screen, state, text).title
  return text.payTo(state.session?.merchant_name ?? '')
}
