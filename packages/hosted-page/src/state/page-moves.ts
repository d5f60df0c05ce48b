import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer, ReadAnswer } from '../api/hosted-api.ts'
import { checkField, checkFields, emptyFields, type FieldName } from '../cards/card-checks.ts'
import { isWaiting, type Notice, type PageState } from './page-state.ts'

/** What can happen to the page. `at` is the browser's clock, in ms. */
export type Move =
  | { readonly type: 'ticked'; readonly at: number }
  | { readonly type: 'read'; readonly answer: ReadAnswer; readonly at: number }
  | { readonly type: 'typed'; readonly field: FieldName; readonly value: string }
  | { readonly type: 'left'; readonly field: FieldName }
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
    case 'submitted':
      return afterSubmitted(state)
    case 'stopped':
      return { ...state, activity: 'idle', notice: move.notice }
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
  if (state.activity !== 'idle') return state
  const faults = checkFields(state.fields, state.now)
  if (Object.keys(faults).length > 0) return { ...state, faults, refusals: state.refusals + 1 }
  return { ...state, faults, activity: 'sending', notice: undefined }
}

function afterRead(state: PageState, answer: ReadAnswer, at: number): PageState {
  if (answer.kind !== 'session') return { ...state, lastRead: answer.kind }
  const read = withSession(state, answer.session, at)
  if (!isWaiting(state) || !state.session || isUnsettled(answer.session)) return waitingFrom(read)
  const notice = answer.session.status === 'pending' ? noticeAfterWait(state.session, answer.session) : undefined
  return settled(read, notice)
}

function isUnsettled({ status, in_progress }: HostedPayable): boolean {
  return status === 'pending' && in_progress
}

/** The read does not say why an attempt was refused, only that there was one and how it ended. */
function noticeAfterWait(before: HostedPayable, after: HostedPayable): Notice {
  const ran = before.in_progress || after.attempts_left < before.attempts_left
  if (!ran) return { kind: 'unclear' }
  return after.transaction_status === 'Declined' ? { kind: 'declined', reason: undefined } : { kind: 'failed' }
}

function afterPaid(state: PageState, answer: PayAnswer, read: ReadAnswer | undefined, at: number): PageState {
  const { session } = state
  if (!session) return state
  if (answer.kind === 'approved') {
    const approved = {
      ...session,
      status: 'completed' as const,
      redirect_url: answer.redirectUrl ?? session.redirect_url,
    }
    return settled({ ...state, session: approved, fields: emptyFields, leaving: true }, undefined)
  }
  if (answer.kind === 'pending') return waitingFrom({ ...withoutCvc(state), activity: 'waiting' })

  const told = read?.kind === 'session' ? withSession(state, read.session, at) : state
  if (answer.kind === 'declined') return settled(told, { kind: 'declined', reason: answer.reason })
  if (answer.kind === 'failed') return settled(told, { kind: 'failed' })
  if (told.session && isUnsettled(told.session)) return waitingFrom({ ...withoutCvc(told), activity: 'waiting' })
  const refusedForSure = answer.kind === 'refused' && (answer.status < 500 || read?.kind === 'session')
  if (refusedForSure) return { ...told, activity: 'idle', notice: refusalNotice(answer.status, state, told) }
  // Nobody could be asked what came of it, so the page waits until somebody can.
  if (read?.kind !== 'session') return waitingFrom({ ...state, activity: 'waiting', lastRead: 'unavailable' })
  return { ...told, activity: 'idle', notice: noticeAfterWait(session, read.session) }
}

function refusalNotice(status: number, before: PageState, after: PageState): Notice | undefined {
  // That has a page of its own, and nothing to do with the form that comes back once the merchant is enabled.
  if (after.session?.merchant_status === 'disabled') return undefined
  if (before.session?.amount_total !== after.session?.amount_total) return { kind: 'amount_changed' }
  if (status === 409) return { kind: 'conflict' }
  if (status === 429) return { kind: 'rate_limited' }
  return { kind: status === 503 ? 'service_unavailable' : 'refused' }
}

function afterCancelled(state: PageState, answer: ReadAnswer, at: number): PageState {
  const idle: PageState = { ...state, activity: 'idle' }
  if (answer.kind !== 'session') return { ...idle, notice: { kind: 'cancel_failed' } }
  const read = waitingFrom(withSession(idle, answer.session, at))
  return answer.session.status === 'pending'
    ? { ...read, notice: { kind: 'cancel_failed' } }
    : { ...read, leaving: true }
}

function withSession(state: PageState, session: HostedPayable, at: number): PageState {
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
  return { ...withoutCvc(state), activity: 'idle', waitingSince: undefined, notice }
}

function waitingFrom(state: PageState): PageState {
  return isWaiting(state) ? { ...state, waitingSince: state.waitingSince ?? state.now, notice: undefined } : state
}

/** A security code is for one attempt: it does not outlive it, not even in the page's memory. */
function withoutCvc(state: PageState): PageState {
  return { ...state, fields: { ...state.fields, cvc: '' }, faults: { ...state.faults, cvc: undefined } }
}
