import { fieldNames } from '../cards/card-checks.ts'
import { type Locale, messages } from '../text/messages.ts'
import { localeOf, type PageState, screenOf } from './page-state.ts'

/** The minutes before the end at which the payer hears how much time is left. */
const calls = [5, 1]

/** The id of the element that takes the focus after a change, if any: the first fault, the notice, a new screen's title. */
export function focusAfter(state: PageState, before: PageState): string | undefined {
  if (state.refusals !== before.refusals) return fieldNames.find(field => state.faults[field])
  const screen = screenOf(state)
  // The first screen leaves the focus where a browser puts it on a new page.
  if (screen !== screenOf(before) && screenOf(before) !== 'loading' && !(screen === 'form' && state.notice))
    return 'title'
  return state.notice && state.notice !== before.notice ? 'notice' : undefined
}

/** What a screen reader says after a change, beside what takes the focus. */
export function saidAfter(state: PageState, before: PageState): string | undefined {
  const text = messages[localeOf(state)]
  if (state.activity === 'sending' && before.activity !== 'sending') return text.paying
  if (screenOf(state) !== 'form' || !state.session || !before.session) return undefined
  const left = (page: PageState) => (state.session?.expires_at ?? 0) - page.now
  const minutes = calls.find(call => left(before) > call * 60_000 && left(state) <= call * 60_000)
  return minutes === undefined ? undefined : text.minutesLeft(minutes)
}

/** The document's title. */
export function titleOf(state: PageState): string {
  const locale: Locale = localeOf(state)
  const screen = screenOf(state)
  const text = messages[locale]
  if (screen === 'loading') return 'Cobro'
  if (screen !== 'form') return text.screens[screen].title
  return text.payTo(state.session?.merchant_name ?? '')
}
