import type { DeclineReason, HostedPayable } from '@cobro/contracts'
import { type CardFields, emptyFields, type FieldFault, type FieldName } from '../cards/card-checks.ts'
import type { Locale, Messages } from '../text/messages.ts'

export type Notice =
  | { readonly kind: 'declined'; readonly reason: DeclineReason | undefined }
  | { readonly kind: Exclude<keyof Messages['notices'], 'declined'> }

export type Screen = 'form' | 'loading' | keyof Messages['screens']

export type Method = HostedPayable['payment_method_types'][number]

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
  /** What the payer chose to pay with. `methodOf` says what they pay with. */
  readonly method: Method
  /** The session as it was when the payment was sent: what came of it shows in what has changed since. */
  readonly sentFrom: HostedPayable | undefined
  /** Whether the browser has a network at all. */
  readonly online: boolean
  /** When the voucher's reference was copied last, by the server's clock. */
  readonly copiedAt: number | undefined
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
    method: 'card',
    sentFrom: undefined,
    online: true,
    copiedAt: undefined,
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

/** What the payer pays with: what they chose, where the merchant takes it. */
export function methodOf({ session, method }: PageState): Method {
  const taken = session?.payment_method_types ?? []
  return taken.includes(method) ? method : (taken[0] ?? method)
}

/** Which of the page's faces the payer sees. */
export function screenOf(state: PageState): Screen {
  const { session, lastRead, activity, now } = state
  if (!session) return lastRead === 'none' || lastRead === 'session' ? 'loading' : lastRead
  if (session.status !== 'pending') return session.status
  if (isWaiting(state)) return 'processing'
  if (activity === 'sending') return 'form'
  if (isPastDue(state)) return activity === 'idle' ? 'expired' : 'form'
  // A voucher that is out is paid at a counter, which knows nothing of the merchant's standing here.
  if (session.voucher) return 'voucher'
  if (session.merchant_status === 'disabled') return 'merchant_disabled'
  return session.retry_at !== null && session.retry_at > now ? 'blocked' : 'form'
}

/** Whether what the page shows may still change. */
export function isOpen({ session, lastRead }: PageState): boolean {
  return session ? session.status === 'pending' : lastRead === 'unavailable'
}

/** Whether the page cannot be reached by changes at present. */
export function isCutOff({ session, online, lastRead }: PageState): boolean {
  return session?.status === 'pending' && (!online || lastRead === 'unavailable')
}

/** Whether the outcome of a payment is awaited, one of this page's or one that runs elsewhere. */
export function isWaiting({ session, activity }: PageState): boolean {
  return activity === 'waiting' || (activity === 'idle' && session?.status === 'pending' && session.in_progress)
}

/** Whether a voucher is awaited rather than the outcome of a card payment. */
export function isVoucherComing(state: PageState): boolean {
  return state.sentFrom !== undefined && methodOf(state) === 'cash'
}

/** Whether the outcome is so late that the payer is told that they may leave. */
export function isSlow({ now, waitingSince }: PageState): boolean {
  return waitingSince !== undefined && now - waitingSince > 30_000
}

/** Whether the payer has just copied the reference. */
export function isCopied({ now, copiedAt }: PageState): boolean {
  return copiedAt !== undefined && now - copiedAt < 4000
}

function isPastDue({ session, now }: PageState): boolean {
  return session?.status === 'pending' && now >= session.expires_at
}
