import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer, ReadAnswer, Voucher } from '../api/hosted-api.ts'
import { checkField, checkFields, emptyFields, type FieldName, fieldNames } from '../cards/card-checks.ts'
import { isWaiting, type Method, methodOf, type Notice, type PageState, screenOf } from './page-state.ts'

/** What can happen to the page. `at` is the browser's clock, in ms. */
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
  /** `read` is the session after the answer: the truth where the answer leaves something open. */
  | { readonly type: 'paid'; readonly answer: PayAnswer; readonly read?: ReadAnswer; readonly at: number }
  | { readonly type: 'cancelling' }
  | { readonly type: 'cancelled'; readonly answer: ReadAnswer; readonly at: number }

/** Says what a move makes of the page. Pure: clocks and answers come in with the move. */
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

/** Once a field was found faulty, it is checked at each key, so that the message goes as soon as it is mended. */
function afterTyped(state: PageState, field: FieldName, value: string): PageState {
  const typed = { ...state, fields: { ...state.fields, [field]: value } }
  const checked = state.faults[field] ? withCheck(typed, field) : typed
  // The brand of the number decides how long the security code is.
  return field === 'number' && state.faults.cvc ? withCheck(checked, 'cvc') : checked
}

function withCheck(state: PageState, field: FieldName): PageState {
  return { ...state, faults: { ...state.faults, [field]: checkField(field, state.fields, state.now) } }
}

/** A click while anything is under way changes nothing: this is what makes a double click send once. */
function afterSubmitted(state: PageState): PageState {
  if (state.activity !== 'idle' || screenOf(state) !== 'form') return state
  const faults = checkFields(state.fields, state.now, methodOf(state) === 'cash' ? ['email'] : fieldNames)
  if (Object.keys(faults).length > 0) return { ...state, faults, refusals: state.refusals + 1 }
  // Without a network it would be sent into the void; what a browser takes for one may still lead nowhere.
  if (!state.online) return { ...state, faults, notice: { kind: 'unclear' } }
  return { ...state, faults, activity: 'sending', notice: undefined, sentFrom: state.session }
}

function afterRead(state: PageState, answer: ReadAnswer, at: number): PageState {
  if (answer.kind !== 'session') return { ...state, lastRead: answer.kind }
  const read = withSession(state, answer.session, at)
  if (!state.session || isUnsettled(answer.session)) return waitingFrom(read)
  if (!isWaiting(state)) return noticingAmount(state, read)
  const open = answer.session.status === 'pending' && !answer.session.voucher
  return settled(read, open ? noticeAfterWait(state, answer.session) : undefined)
}

/** A total that changes before the payer's eyes is pointed out to them. */
function noticingAmount(before: PageState, after: PageState): PageState {
  const changed = before.session?.amount_total !== after.session?.amount_total
  if (!changed || before.activity !== 'idle' || screenOf(after) !== 'form') return waitingFrom(after)
  return { ...after, notice: { kind: 'amount_changed' } }
}

function isUnsettled({ status, in_progress }: HostedPayable): boolean {
  return status === 'pending' && in_progress
}

/** The read does not say why an attempt was refused, only that there was one and how it ended. */
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

  const told = read?.kind === 'session' ? withSession(state, read.session, at) : state
  // What has ended or waits to be paid in cash has a page of its own.
  if (told.session?.status !== 'pending' || told.session.voucher) return settled(told, undefined)
  if (answer.kind === 'declined') return settled(told, { kind: 'declined', reason: answer.reason })
  if (answer.kind === 'failed') return settled(told, { kind: 'failed' })
  if (isUnsettled(told.session)) return waitingFrom({ ...withoutCvc(told), activity: 'waiting' })
  const refusedForSure = answer.kind === 'refused' && (answer.status < 500 || read?.kind === 'session')
  if (refusedForSure) return { ...idle(told), notice: refusalNotice(answer.status, told) }
  // Nobody could be asked what came of it, so the page waits until somebody can.
  if (read?.kind !== 'session') return waitingFrom({ ...state, activity: 'waiting', lastRead: 'unavailable' })
  return { ...idle(told), notice: noticeAfterWait(state, read.session) }
}

function afterApproved(state: PageState, session: HostedPayable, redirectUrl: string | undefined): PageState {
  const approved = { ...session, status: 'completed' as const, redirect_url: redirectUrl ?? session.redirect_url }
  return settled({ ...state, session: approved, fields: emptyFields, leaving: true }, undefined)
}

/** Issuing a voucher moves the end of the session to the end of the voucher. */
function afterPending(state: PageState, session: HostedPayable, voucher: Voucher | undefined): PageState {
  if (session.status !== 'pending') return settled(state, undefined)
  if (!voucher) return waitingFrom({ ...withoutCvc(state), activity: 'waiting' })
  const issued = { ...session, voucher, had_voucher: true, in_progress: false, expires_at: Date.parse(voucher.due_at) }
  return settled({ ...state, session: issued }, undefined)
}

/** What was typed stays, since nothing was paid with it. */
function idle(state: PageState): PageState {
  return { ...state, activity: 'idle', sentFrom: undefined }
}

function refusalNotice(status: number, { session, sentFrom, now }: PageState): Notice | undefined {
  // These have pages of their own, and nothing to do with the form that comes back after them.
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
  // An end is an end: a read that was on its way for longer than the news of it takes nothing back.
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

function settled(state: PageState, notice: Notice | undefined): PageState {
  return { ...idle(withoutCvc(state)), waitingSince: undefined, notice }
}

function waitingFrom(state: PageState): PageState {
  return isWaiting(state) ? { ...state, waitingSince: state.waitingSince ?? state.now, notice: undefined } : state
}

/** A security code is for one attempt: it does not outlive it, not even in the page's memory. */
function withoutCvc(state: PageState): PageState {
  return { ...state, fields: { ...state.fields, cvc: '' }, faults: { ...state.faults, cvc: undefined } }
}
