import type { DeclineReason, HostedPayable } from '@cobro/contracts'
import type { Locale } from '@cobro/look/locales'
import { type CardFields, emptyFields, type FieldFault, type FieldName } from '../cards/card-checks.ts'
import type { Messages } from '../text/messages-es.ts'

export type Notice =
  | { readonly kind: 'declined'; readonly reason: DeclineReason | undefined }
  | { readonly kind: Exclude<keyof Messages['notices'], 'declined'> }

export type Screen = 'form' | 'loading' | keyof Messages['screens']

export type Method = HostedPayable['payment_method_types'][number]

/** The page's state. Everything on the page derives from it. */
export interface PageState {
  /** The browser's language; the session's own takes precedence. */
  readonly browserLocale: Locale
  readonly session: HostedPayable | undefined
  /** The result of the last read. */
  readonly lastRead: 'none' | 'session' | 'not_found' | 'unavailable'
  /** What is in progress: sending a payment, waiting for its outcome, or a cancel. */
  readonly activity: 'idle' | 'sending' | 'waiting' | 'cancelling'
  readonly waitingSince: number | undefined
  readonly notice: Notice | undefined
  /** The payment method that the payer chose. `methodOf` returns the effective one. */
  readonly method: Method
  /** The session when the payment was sent: the outcome shows in what has changed since. */
  readonly sentFrom: HostedPayable | undefined
  /** Whether the browser is online. */
  readonly online: boolean
  /** When the voucher's reference was last copied, by the server's clock. */
  readonly copiedAt: number | undefined
  readonly fields: CardFields
  readonly faults: Partial<Record<FieldName, FieldFault>>
  /** Counts the clicks rejected because of invalid fields, so that each one can move the focus. */
  readonly refusals: number
  /** Set if the payer saw the payment complete and will be redirected; later pages show a link. */
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

/** Returns the page's language. */
export function localeOf(state: PageState): Locale {
  return state.session?.locale ?? state.browserLocale
}

/** Returns the effective payment method: the chosen one if the merchant accepts it. */
export function methodOf({ session, method }: PageState): Method {
  const taken = session?.payment_method_types ?? []
  return taken.includes(method) ? method : (taken[0] ?? method)
}

/** Returns the screen to show. */
export function screenOf(state: PageState): Screen {
  const { session, lastRead, activity, now } = state
  if (!session) return lastRead === 'none' || lastRead === 'session' ? 'loading' : lastRead
  if (session.status !== 'pending') return session.status
  if (isWaiting(state)) return 'processing'
  if (activity === 'sending') return 'form'
  if (isPastDue(state)) return activity === 'idle' ? 'expired' : 'form'
  // An open voucher can be paid at a counter even if the merchant is disabled.
  if (session.voucher) return 'voucher'
  if (session.merchant_status === 'disabled') return 'merchant_disabled'
  return session.retry_at !== null && session.retry_at > now ? 'blocked' : 'form'
}

/** Returns whether the payable can still change. */
export function isOpen({ session, lastRead }: PageState): boolean {
  return session ? session.status === 'pending' : lastRead === 'unavailable'
}

/** Returns whether the page currently receives no changes. */
export function isCutOff({ session, online, lastRead }: PageState): boolean {
  return session?.status === 'pending' && (!online || lastRead === 'unavailable')
}

/** Returns whether a payment is in progress, from this page or elsewhere. */
export function isWaiting({ session, activity }: PageState): boolean {
  return activity === 'waiting' || (activity === 'idle' && session?.status === 'pending' && session.in_progress)
}

/** Returns whether a voucher is being issued, as opposed to a card payment in progress. */
export function isVoucherComing(state: PageState): boolean {
  return state.sentFrom !== undefined && methodOf(state) === 'cash'
}

/** Returns whether the outcome is so late that the page says the payer may leave. */
export function isSlow({ now, waitingSince }: PageState): boolean {
  return waitingSince !== undefined && now - waitingSince > 30_000
}

/** Returns whether the payer just copied the reference. */
export function isCopied({ now, copiedAt }: PageState): boolean {
  return copiedAt !== undefined && now - copiedAt < 4000
}

function isPastDue({ session, now }: PageState): boolean {
  return session?.status === 'pending' && now >= session.expires_at
}
