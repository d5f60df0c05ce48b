import type { DeclineReason, HostedPayable } from '@cobro/contracts'
import { type CardFields, emptyFields, type FieldFault, type FieldName } from '../cards/card-checks.ts'
import type { Locale, Messages } from '../text/messages.ts'

export type Notice =
  | { readonly kind: 'declined'; readonly reason: DeclineReason | undefined }
  | { readonly kind: Exclude<keyof Messages['notices'], 'declined'> }

export type Screen = 'form' | 'loading' | keyof Messages['screens']

/** All that the page knows. What it shows follows from this alone. */
export interface PageState {
  /** The browser's language; the session's own comes before it. */
  readonly browserLocale: Locale
  readonly session: HostedPayable | undefined
  /** How the last read went. */
  readonly lastRead: 'none' | 'session' | 'not_found' | 'unavailable'
  /** What of this page is under way: a payment being sent, its outcome being waited for, or a cancel. */
  readonly activity: 'idle' | 'sending' | 'waiting' | 'cancelling'
  readonly waitingSince: number | undefined
  readonly notice: Notice | undefined
  readonly fields: CardFields
  readonly faults: Partial<Record<FieldName, FieldFault>>
  /** Counts the clicks that faulty fields refused, so that each of them can move the focus. */
  readonly refusals: number
  /** Set when the payer saw the payment end here and is to be taken back. A page opened later only offers a link. */
  readonly leaving: boolean
  /** The server's clock minus the browser's, in ms. */
  readonly clockOffset: number
  /** The server's time, in ms. */
  readonly now: number
}

export function initialState(browserLocale: Locale, now: number): PageState {
  return {
    browserLocale,
    session: undefined,
    lastRead: 'none',
    activity: 'idle',
    waitingSince: undefined,
    notice: undefined,
    fields: emptyFields,
    faults: {},
    refusals: 0,
    leaving: false,
    clockOffset: 0,
    now,
  }
}

/** The language the page speaks. */
export function localeOf(state: PageState): Locale {
  return state.session?.locale ?? state.browserLocale
}

/** Which of the page's faces the payer sees. */
export function screenOf(state: PageState): Screen {
  const { session, lastRead, activity } = state
  if (!session) return lastRead === 'none' || lastRead === 'session' ? 'loading' : lastRead
  if (session.status !== 'pending') return session.status
  if (isWaiting(state)) return 'processing'
  if (activity !== 'idle') return 'form'
  if (isPastDue(state)) return 'expired'
  return session.merchant_status === 'disabled' ? 'merchant_disabled' : 'form'
}

/** Whether the page has to learn by itself how its session goes on. */
export function needsWatching(state: PageState): boolean {
  if (state.session && state.session.status !== 'pending') return false
  return state.lastRead === 'unavailable' || isWaiting(state) || (state.activity === 'idle' && isPastDue(state))
}

/** Whether the outcome of a payment is awaited, one of this page's or one that runs elsewhere. */
export function isWaiting({ session, activity }: PageState): boolean {
  return activity === 'waiting' || (activity === 'idle' && session?.status === 'pending' && session.in_progress)
}

/** Whether the outcome is so late that the payer is told that they may leave. */
export function isSlow({ now, waitingSince }: PageState): boolean {
  return waitingSince !== undefined && now - waitingSince > 30_000
}

function isPastDue({ session, now }: PageState): boolean {
  return session?.status === 'pending' && now >= session.expires_at
}
