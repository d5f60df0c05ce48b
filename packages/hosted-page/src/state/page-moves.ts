import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer, ReadAnswer, Voucher } from '../api/hosted-api.ts'
import { checkField, checkFields, emptyFields, type FieldName, fieldNames } from '../cards/card-checks.ts'
import { isWaiting, type Method, methodOf, type Notice, type PageState, screenOf } from './page-state.ts'

/** An event of the page. `at` is the browser's clock, in ms. */
export type Move =
  | { readonly type: 'ticked'; readonly at: number }
  | { readonly type: 'read'; readonly answer: ReadAnswer; readonly at: number }
  | { readonly type: 'typed'; readonly field: FieldName; readonly value: string }
  | { readonly type: 'left'; readonly field: FieldName }
  | { readonly type: 'chosen'; readonly method: Method }
  | { readonly type: 'copied' }
  | { readonly type: 'connection'; readonly online: boolean }
  | { readonly type: 'submitted' }
  | { readonly type: 'stopped'; readonly notice: Notice }
  /** `read` is the payable read after the answer: authoritative if the answer is unclear. */
  | { readonly type: 'paid'; readonly answer: PayAnswer; readonly read?: ReadAnswer; readonly at: number }
  | { readonly type: 'cancelling' }
  | { readonly type: 'cancelled'; readonly answer: ReadAnswer; readonly at: number }

/** Returns the state after an event. Pure: clocks and answers are part of the event. */
export function afterMove(state: PageState, move: Move): PageState {
  switch (move.type) {
    case 'ticked':
      return { ...state, now: move.at + state.clockOffset }
    case 'read':
      return afterRead(state, move.answer, move.at)
    case 'typed':
      return afterTyped(state, move.field, move.value)
    case 'left':
      return state.fields[move.field] === '' ? state : withCheck(state, move.field)
    case 'chosen':
      return state.activity === 'idle' ? { ...state, method: move.method, faults: {}, notice: undefined } : state
    case 'copied':
      return { ...state, copiedAt: state.now }
    case 'connection':
      return state.online === move.online ? state : { ...state, online: move.online }
    case 'submitted':
      return afterSubmitted(state)
    case 'stopped':
      return { ...idle(state), notice: move.notice }
    case 'paid':
      return afterPaid(state, move.answer, move.read, move.at)
    case 'cancelling':
      return { ...state, activity: 'cancelling', notice: undefined }
    case 'cancelled':
      return afterCancelled(state, move.answer, move.at)
  }
}

/** Validates an invalid field on each keystroke, so that its message ends once it is fixed. */
function afterTyped(state: PageState, field: FieldName, value: string): PageState {
  const typed = { ...state, fields: { ...state.fields, [field]: value } }
  const checked = state.faults[field] ? withCheck(typed, field) : typed
  // The card's brand decides the length of the security code.
  return field === 'number' && state.faults.cvc ? withCheck(checked, 'cvc') : checked
}

function withCheck(state: PageState, field: FieldName): PageState {
  return { ...state, faults: { ...state.faults, [field]: checkField(field, state.fields, state.now) } }
}

/** Ignores a click while anything is in progress, so that a double click sends one payment. */
function afterSubmitted(state: PageState): PageState {
  if (state.activity !== 'idle' || screenOf(state) !== 'form') return state
  const faults = checkFields(state.fields, state.now, methodOf(state) === 'cash' ? ['email'] : fieldNames)
  if (Object.keys(faults).length > 0) return { ...state, faults, refusals: state.refusals + 1 }
  // While offline it would be lost; a browser may still report a network that leads nowhere.
  if (!state.online) return { ...state, faults, notice: { kind: 'unclear' } }
  return { ...state, faults, activity: 'sending', notice: undefined, sentFrom: state.session }
}

function afterRead(state: PageState, answer: ReadAnswer, at: number): PageState {
  if (answer.kind !== 'session') return { ...state, lastRead: answer.kind }
  const read = withSession(state, answer.session, at)
  if (!state.session || isInProgress(answer.session)) return waitingFrom(read)
  if (!isWaiting(state)) return noticingAmount(state, read)
  const open = answer.session.status === 'pending' && !answer.session.voucher
  return resolved(read, open ? noticeAfterWait(state, answer.session) : undefined)
}

/** Highlights a total that changes while the payer looks at it. */
function noticingAmount(before: PageState, after: PageState): PageState {
  const changed = before.session?.amount_total !== after.session?.amount_total
  if (!changed || before.activity !== 'idle' || screenOf(after) !== 'form') return waitingFrom(after)
  return { ...after, notice: { kind: 'amount_changed' } }
}

function isInProgress({ status, in_progress }: HostedPayable): boolean {
  return status === 'pending' && in_progress
}

/** A read does not show why an attempt was rejected, only that there was one and how it ended. */
function noticeAfterWait({ session, sentFrom }: PageState, after: HostedPayable): Notice {
  const left = (sentFrom ?? session)?.attempts_left ?? 0
  const ended = sentFrom?.transaction_status !== after.transaction_status && hasFailed(after)
  const ran = session?.in_progress || after.attempts_left < left || (sentFrom !== undefined && ended)
  if (!ran) return { kind: 'unclear' }
  return after.transaction_status === 'Declined' ? { kind: 'declined', reason: undefined } : { kind: 'failed' }
}

function hasFailed({ transaction_status }: HostedPayable): boolean {
  return transaction_status === 'Declined' || transaction_status === 'Failed'
}

function afterPaid(state: PageState, answer: PayAnswer, read: ReadAnswer | undefined, at: number): PageState {
  const { session } = state
  if (!session) return state
  if (answer.kind === 'approved') return afterApproved(state, session, answer.redirectUrl)
  if (answer.kind === 'pending') return afterPending(state, session, answer.voucher)

  const updated = read?.kind === 'session' ? withSession(state, read.session, at) : state
  // A payable that ended or awaits cash has its own screen.
  if (updated.session?.status !== 'pending' || updated.session.voucher) return resolved(updated, undefined)
  if (answer.kind === 'declined') return resolved(updated, { kind: 'declined', reason: answer.reason })
  if (answer.kind === 'failed') return resolved(updated, { kind: 'failed' })
  if (isInProgress(updated.session)) return waitingFrom({ ...withoutCvc(updated), activity: 'waiting' })
  const refusedForSure = answer.kind === 'refused' && (answer.status < 500 || read?.kind === 'session')
  if (refusedForSure) return { ...idle(updated), notice: refusalNotice(answer.status, updated) }
  // The outcome could not be read, so wait until it can.
  if (read?.kind !== 'session') return waitingFrom({ ...state, activity: 'waiting', lastRead: 'unavailable' })
  return { ...idle(updated), notice: noticeAfterWait(state, read.session) }
}

function afterApproved(state: PageState, session: HostedPayable, redirectUrl: string | undefined): PageState {
  const approved = { ...session, status: 'completed' as const, redirect_url: redirectUrl ?? session.redirect_url }
  return resolved({ ...state, session: approved, fields: emptyFields, leaving: true }, undefined)
}

/** Issuing a voucher moves the session's expiry to the voucher's. */
function afterPending(state: PageState, session: HostedPayable, voucher: Voucher | undefined): PageState {
  if (session.status !== 'pending') return resolved(state, undefined)
  if (!voucher) return waitingFrom({ ...withoutCvc(state), activity: 'waiting' })
  const issued = { ...session, voucher, had_voucher: true, in_progress: false, expires_at: Date.parse(voucher.due_at) }
  return resolved({ ...state, session: issued }, undefined)
}

/** Keeps the typed card, since nothing was paid with it. */
function idle(state: PageState): PageState {
  return { ...state, activity: 'idle', sentFrom: undefined }
}

function refusalNotice(status: number, { session, sentFrom, now }: PageState): Notice | undefined {
  // These have their own screens and do not affect the form that follows.
  if (session?.merchant_status === 'disabled' || (session?.retry_at ?? 0) > now) return undefined
  if (sentFrom?.amount_total !== session?.amount_total) return { kind: 'amount_changed' }
  if (status === 409) return { kind: 'conflict' }
  if (status === 429) return { kind: 'rate_limited' }
  return { kind: status === 503 ? 'service_unavailable' : 'refused' }
}

function afterCancelled(state: PageState, answer: ReadAnswer, at: number): PageState {
  const stopped = idle(state)
  if (answer.kind !== 'session') return { ...stopped, notice: { kind: 'cancel_failed' } }
  const read = waitingFrom(withSession(stopped, answer.session, at))
  return answer.session.status === 'pending'
    ? { ...read, notice: { kind: 'cancel_failed' } }
    : { ...read, leaving: true }
}

function withSession(state: PageState, session: HostedPayable, at: number): PageState {
  // A final state is final: a slow read that was sent before it must not revert it.
  if (state.session && state.session.status !== 'pending' && session.status === 'pending') return state
  const paidMeanwhile = state.session?.status === 'pending' && session.status === 'completed'
  const isFirst = state.session === undefined
  return {
    ...state,
    session,
    lastRead: 'session',
    leaving: state.leaving || paidMeanwhile,
    clockOffset: session.now - at,
    now: session.now,
    fields: isFirst ? { ...state.fields, email: session.payer_email ?? '' } : state.fields,
  }
}

function resolved(state: PageState, notice: Notice | undefined): PageState {
  return { ...idle(withoutCvc(state)), waitingSince: undefined, notice }
}

function waitingFrom(state: PageState): PageState {
  return isWaiting(state) ? { ...state, waitingSince: state.waitingSince ?? state.now, notice: undefined } : state
}

/** Forgets the security code after its one attempt, even in memory. */
function withoutCvc(state: PageState): PageState {
  return { ...state, fields: { ...state.fields, cvc: '' }, faults: { ...state.faults, cvc: undefined } }
}
