import type { HostedPayable } from '@cobro/contracts'
import type { PayAnswer } from '../api/hosted-api.ts'
import { afterMove, type Move } from './page-moves.ts'
import { initialState, isSlow, needsWatching, type PageState, screenOf } from './page-state.ts'
import { sampleSession, sampleTime } from './session-sample.ts'

const at = sampleTime
const card = { number: '4242 4242 4242 4242', expiry: '12 / 30', cvc: '123', holder: 'Ana', email: '' }

const read = (changes: Partial<HostedPayable> = {}): Move => ({
  type: 'read',
  answer: { kind: 'session', session: sampleSession(changes) },
  at,
})

const paid = (answer: PayAnswer, changes?: Partial<HostedPayable>): Move => ({
  type: 'paid',
  answer,
  at,
  ...(changes && { read: { kind: 'session', session: sampleSession(changes) } }),
})

const after = (...moves: Move[]) => moves.reduce(afterMove, initialState('es', at))
const going = (state: PageState, ...moves: Move[]) => moves.reduce(afterMove, state)
const filled = (changes: Partial<HostedPayable> = {}): PageState => ({ ...after(read(changes)), fields: card })
const sending = (changes: Partial<HostedPayable> = {}) => going(filled(changes), { type: 'submitted' })

test.each<[Move[], string, boolean]>([
  [[], 'loading', false],
  [[read()], 'form', false],
  [[read({ in_progress: true })], 'processing', true],
  [[read({ status: 'completed' })], 'completed', false],
  [[read({ status: 'expired' })], 'expired', false],
  [[read({ status: 'cancelled' })], 'cancelled', false],
  [[read({ expires_at: at })], 'expired', true],
  [[read({ merchant_status: 'disabled' })], 'merchant_disabled', false],
  [[read({ merchant_status: 'disabled' }), read()], 'form', false],
  [[read({ merchant_status: 'disabled', in_progress: true })], 'processing', true],
  [[read({ merchant_status: 'disabled', status: 'completed' })], 'completed', false],
  [[read({ merchant_status: 'disabled', expires_at: at })], 'expired', true],
  [[read({ expires_at: at, in_progress: true })], 'processing', true],
  [[{ type: 'read', answer: { kind: 'not_found' }, at }], 'not_found', false],
  [[{ type: 'read', answer: { kind: 'unavailable' }, at }], 'unavailable', true],
  [[read(), { type: 'read', answer: { kind: 'unavailable' }, at }], 'form', true],
])('after %j shows %s', (moves, screen, watching) => {
  const state = after(...moves)
  expect(screenOf(state)).toBe(screen)
  expect(needsWatching(state)).toBe(watching)
})

test('goes by the clock of the server', () => {
  const state = going(after(read({ now: at + 5000 })), { type: 'ticked', at: at + 1000 })
  expect(state.now).toBe(at + 6000)
})

test('takes the e-mail the merchant gave, once', () => {
  const state = after(read({ payer_email: 'ana@example.com' }))
  expect(state.fields.email).toBe('ana@example.com')
  const emptied = going(state, { type: 'typed', field: 'email', value: '' }, read({ payer_email: 'ana@example.com' }))
  expect(emptied.fields.email).toBe('')
})

test('sends nothing while a field is faulty', () => {
  const state = going(after(read()), { type: 'submitted' })
  expect(state).toMatchObject({ activity: 'idle', refusals: 1, faults: { number: 'number_missing' } })
})

test('sends once, however often it is clicked', () => {
  const first = sending()
  expect(first.activity).toBe('sending')
  expect(going(first, { type: 'submitted' })).toBe(first)
})

test('checks a field when it is left, and again at each key once it was faulty', () => {
  const typed = going(after(read()), { type: 'typed', field: 'number', value: '4242' })
  expect(typed.faults.number).toBeUndefined()
  const left = going(typed, { type: 'left', field: 'number' })
  expect(left.faults.number).toBe('number_incomplete')
  const mended = going(left, { type: 'typed', field: 'number', value: card.number })
  expect(mended.faults.number).toBeUndefined()
})

test('says nothing of a field that is left empty', () => {
  expect(going(after(read()), { type: 'left', field: 'number' }).faults).toEqual({})
})

test('checks a faulty security code again when the number changes its brand', () => {
  const faulty = going({ ...filled(), fields: { ...card, cvc: '1234' } }, { type: 'left', field: 'cvc' })
  expect(faulty.faults.cvc).toBe('cvc_three')
  expect(going(faulty, { type: 'typed', field: 'number', value: '3782' }).faults.cvc).toBeUndefined()
})

test('an approval ends the page, forgets the card and takes the payer back', () => {
  const state = going(sending(), paid({ kind: 'approved', redirectUrl: 'https://shop.example/ok' }))
  expect(screenOf(state)).toBe('completed')
  expect(state).toMatchObject({ leaving: true, session: { redirect_url: 'https://shop.example/ok' } })
  expect(Object.values(state.fields).join('')).toBe('')
})

test('a decline says why, counts, and forgets the security code alone', () => {
  const state = going(sending(), paid({ kind: 'declined', reason: 'insufficient_funds' }, { attempts_left: 9 }))
  expect(screenOf(state)).toBe('form')
  expect(state).toMatchObject({
    activity: 'idle',
    notice: { kind: 'declined', reason: 'insufficient_funds' },
    session: { attempts_left: 9 },
    fields: { number: card.number, cvc: '' },
  })
})

test('the last decline ends the session', () => {
  const state = going(
    sending(),
    paid({ kind: 'declined', reason: 'card_declined' }, { status: 'cancelled', attempts_left: 0 }),
  )
  expect(screenOf(state)).toBe('cancelled')
})

test('a technical failure can be tried again', () => {
  expect(going(sending(), paid({ kind: 'failed' }, {}))).toMatchObject({ activity: 'idle', notice: { kind: 'failed' } })
})

test.each<[number, Partial<HostedPayable>, string]>([
  [409, {}, 'conflict'],
  [409, { amount_total: 1 }, 'amount_changed'],
  [429, {}, 'rate_limited'],
  [503, {}, 'service_unavailable'],
  [400, {}, 'refused'],
])('a payment refused with %s after which the session is %j: %s', (status, changes, notice) => {
  const state = going(sending(), paid({ kind: 'refused', status }, changes))
  expect(state).toMatchObject({ activity: 'idle', notice: { kind: notice }, fields: { cvc: '123' } })
})

test('an outage after which nobody can be asked is no refusal: the page waits until somebody can', () => {
  const answer = { kind: 'refused' as const, status: 503 }
  const state = going(sending(), { type: 'paid', answer, read: { kind: 'unavailable' }, at: 0 } as never)
  expect(state).toMatchObject({ activity: 'waiting', notice: undefined })
})

test('a payment refused because its merchant was disabled shows that, and the form again once it is enabled', () => {
  const refused = going(sending(), paid({ kind: 'refused', status: 409 }, { merchant_status: 'disabled' }))
  expect(screenOf(refused)).toBe('merchant_disabled')
  const enabled = going(refused, read())
  expect([screenOf(enabled), enabled.fields.number, enabled.notice]).toEqual(['form', card.number, undefined])
})

test('a payment refused because another one runs waits for that one', () => {
  const state = going(sending(), paid({ kind: 'refused', status: 409 }, { in_progress: true }))
  expect(screenOf(state)).toBe('processing')
})

test('a payment refused because it was already paid shows that', () => {
  const state = going(sending(), paid({ kind: 'refused', status: 409 }, { status: 'completed' }))
  expect(screenOf(state)).toBe('completed')
})

test('waits for a pending payment until it has an end', () => {
  const waiting = going(sending(), paid({ kind: 'pending' }))
  expect(screenOf(waiting)).toBe('processing')
  expect(needsWatching(waiting)).toBe(true)
  const running = going(waiting, read({ in_progress: true, attempts_left: 9 }))
  expect(screenOf(running)).toBe('processing')
  const ended = going(running, read({ attempts_left: 9, transaction_status: 'Declined' }))
  expect(ended).toMatchObject({ activity: 'idle', notice: { kind: 'declined', reason: undefined } })
  expect(going(running, read({ status: 'completed' })).leaving).toBe(true)
})

test('tells after half a minute that the payer may leave', () => {
  const waiting = going(sending(), paid({ kind: 'pending' }))
  expect(isSlow(going(waiting, { type: 'ticked', at: at + 30_000 }))).toBe(false)
  expect(isSlow(going(waiting, { type: 'ticked', at: at + 30_001 }))).toBe(true)
})

test('an unclear payment that never arrived can be tried again, code and all', () => {
  const state = going(sending(), paid({ kind: 'unclear' }, {}))
  expect(state).toMatchObject({ activity: 'idle', notice: { kind: 'unclear' }, fields: { cvc: '123' } })
})

test('an unclear payment that did arrive shows what it came to', () => {
  const failed = going(sending(), paid({ kind: 'unclear' }, { attempts_left: 9, transaction_status: 'Failed' }))
  expect(failed.notice).toEqual({ kind: 'failed' })
  expect(screenOf(going(sending(), paid({ kind: 'unclear' }, { status: 'completed' })))).toBe('completed')
})

test('an unclear payment that nobody can be asked about keeps the form away until somebody can', () => {
  const state = going(sending(), { type: 'paid', answer: { kind: 'unclear' }, read: { kind: 'unavailable' }, at })
  expect(screenOf(state)).toBe('processing')
  expect(needsWatching(state)).toBe(true)
  expect(going(state, read())).toMatchObject({ activity: 'idle', notice: { kind: 'unclear' } })
})

test('does not take a payer away from a payment that had ended before they came', () => {
  expect(after(read({ status: 'completed' })).leaving).toBe(false)
})

test('a cancel takes the payer back; one that was refused leaves the form', () => {
  const cancelling = going(filled(), { type: 'cancelling' })
  expect(going(cancelling, { type: 'submitted' })).toBe(cancelling)
  const cancelled: Move = { type: 'cancelled', answer: { kind: 'unavailable' }, at }
  expect(going(cancelling, cancelled)).toMatchObject({ activity: 'idle', notice: { kind: 'cancel_failed' } })
  const session = sampleSession({ status: 'cancelled' })
  expect(going(cancelling, { ...cancelled, answer: { kind: 'session', session } }).leaving).toBe(true)
})
