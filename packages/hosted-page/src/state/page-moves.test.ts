import type { HostedPayable } from '@cobro/contracts'
import { after, at, card, filled, going, paid, read, sending, voucher } from './move-samples.ts'
import type { Move } from './page-moves.ts'
import { isCopied, isCutOff, isOpen, isSlow, screenOf } from './page-state.ts'
import { sampleSession } from './session-sample.ts'

test.each<[Move[], string, boolean]>([
  [[], 'loading', false],
  [[read()], 'form', true],
  [[read({ in_progress: true })], 'processing', true],
  [[read({ status: 'completed' })], 'completed', false],
  [[read({ status: 'expired' })], 'expired', false],
  [[read({ status: 'cancelled' })], 'cancelled', false],
  [[read({ expires_at: at })], 'expired', true],
  [[read({ merchant_status: 'disabled' })], 'merchant_disabled', true],
  [[read({ merchant_status: 'disabled' }), read()], 'form', true],
  [[read({ voucher })], 'voucher', true],
  [[read({ voucher, merchant_status: 'disabled' })], 'voucher', true],
  [[read({ voucher, status: 'completed' })], 'completed', false],
  [[read({ voucher, expires_at: at })], 'expired', true],
  [[read({ retry_at: at + 1 })], 'blocked', true],
  [[read({ retry_at: at + 1 }), { type: 'ticked', at: at + 1 }], 'form', true],
  [[read({ retry_at: at + 1, in_progress: true })], 'processing', true],
  [[read({ status: 'completed' }), read()], 'completed', false],
  [[read({ merchant_status: 'disabled', in_progress: true })], 'processing', true],
  [[read({ merchant_status: 'disabled', status: 'completed' })], 'completed', false],
  [[read({ merchant_status: 'disabled', expires_at: at })], 'expired', true],
  [[read({ expires_at: at, in_progress: true })], 'processing', true],
  [[{ type: 'read', answer: { kind: 'not_found' }, at }], 'not_found', false],
  [[{ type: 'read', answer: { kind: 'unavailable' }, at }], 'unavailable', true],
  [[read(), { type: 'read', answer: { kind: 'unavailable' }, at }], 'form', true],
])('after the moves %j the page shows %s', (moves, screen, open) => {
  const state = after(...moves)
  expect(screenOf(state)).toBe(screen)
  expect(isOpen(state)).toBe(open)
})

test("uses the server's clock", () => {
  const state = going(after(read({ now: at + 5000 })), { type: 'ticked', at: at + 1000 })
  expect(state.now).toBe(at + 6000)
})

test("prefills the merchant's e-mail address once", () => {
  const state = after(read({ payer_email: 'ana@example.com' }))
  expect(state.fields.email).toBe('ana@example.com')
  const emptied = going(state, { type: 'typed', field: 'email', value: '' }, read({ payer_email: 'ana@example.com' }))
  expect(emptied.fields.email).toBe('')
})

test('sends nothing while a field is invalid', () => {
  const state = going(after(read()), { type: 'submitted' })
  expect(state).toMatchObject({ activity: 'idle', refusals: 1, faults: { number: 'number_missing' } })
})

test('sends one payment for repeated clicks', () => {
  const first = sending()
  expect(first.activity).toBe('sending')
  expect(going(first, { type: 'submitted' })).toBe(first)
})

test('validates a field on blur, and on each key once it was invalid', () => {
  const typed = going(after(read()), { type: 'typed', field: 'number', value: '4242' })
  expect(typed.faults.number).toBeUndefined()
  const left = going(typed, { type: 'left', field: 'number' })
  expect(left.faults.number).toBe('number_incomplete')
  const mended = going(left, { type: 'typed', field: 'number', value: card.number })
  expect(mended.faults.number).toBeUndefined()
})

test('shows no error for a field that is left empty', () => {
  expect(going(after(read()), { type: 'left', field: 'number' }).faults).toEqual({})
})

test("validates an invalid security code again when the card's brand changes", () => {
  const faulty = going({ ...filled(), fields: { ...card, cvc: '1234' } }, { type: 'left', field: 'cvc' })
  expect(faulty.faults.cvc).toBe('cvc_three')
  expect(going(faulty, { type: 'typed', field: 'number', value: '3782' }).faults.cvc).toBeUndefined()
})

test('shows an approval, forgets the card and redirects the payer', () => {
  const state = going(sending(), paid({ kind: 'approved', redirectUrl: 'https://shop.example/ok' }))
  expect(screenOf(state)).toBe('completed')
  expect(state).toMatchObject({ leaving: true, session: { redirect_url: 'https://shop.example/ok' } })
  expect(Object.values(state.fields).join('')).toBe('')
})

test("shows a decline's reason, counts the attempt and forgets only the security code", () => {
  const state = going(sending(), paid({ kind: 'declined', reason: 'insufficient_funds' }, { attempts_left: 9 }))
  expect(screenOf(state)).toBe('form')
  expect(state).toMatchObject({
    activity: 'idle',
    notice: { kind: 'declined', reason: 'insufficient_funds' },
    session: { attempts_left: 9 },
    fields: { number: card.number, cvc: '' },
  })
})

test('ends the session on the last decline', () => {
  const state = going(
    sending(),
    paid({ kind: 'declined', reason: 'card_declined' }, { status: 'cancelled', attempts_left: 0 }),
  )
  expect(screenOf(state)).toBe('cancelled')
})

test('allows another try after a technical failure', () => {
  expect(going(sending(), paid({ kind: 'failed' }, {}))).toMatchObject({ activity: 'idle', notice: { kind: 'failed' } })
})

test.each<[number, Partial<HostedPayable>, string]>([
  [409, {}, 'conflict'],
  [409, { amount_total: 1 }, 'amount_changed'],
  [429, {}, 'rate_limited'],
  [503, {}, 'service_unavailable'],
  [400, {}, 'refused'],
])('after a payment rejected with %s and a session of %j, shows %s', (status, changes, notice) => {
  const state = going(sending(), paid({ kind: 'refused', status }, changes))
  expect(state).toMatchObject({ activity: 'idle', notice: { kind: notice }, fields: { cvc: '123' } })
})

test('waits instead of showing a rejection when the outcome cannot be read', () => {
  const answer = { kind: 'refused' as const, status: 503 }
  const state = going(sending(), { type: 'paid', answer, read: { kind: 'unavailable' }, at: 0 } as never)
  expect(state).toMatchObject({ activity: 'waiting', notice: undefined })
})

test('shows a disabled merchant, and the form again once it is enabled', () => {
  const refused = going(sending(), paid({ kind: 'refused', status: 409 }, { merchant_status: 'disabled' }))
  expect(screenOf(refused)).toBe('merchant_disabled')
  const enabled = going(refused, read())
  expect([screenOf(enabled), enabled.fields.number, enabled.notice]).toEqual(['form', card.number, undefined])
})

test('waits for the other payment when one is in progress', () => {
  const state = going(sending(), paid({ kind: 'refused', status: 409 }, { in_progress: true }))
  expect(screenOf(state)).toBe('processing')
})

test('shows that the session was already paid', () => {
  const state = going(sending(), paid({ kind: 'refused', status: 409 }, { status: 'completed' }))
  expect(screenOf(state)).toBe('completed')
})

test('waits for a pending payment until its outcome', () => {
  const waiting = going(sending(), paid({ kind: 'pending' }))
  expect(screenOf(waiting)).toBe('processing')
  expect(isOpen(waiting)).toBe(true)
  const running = going(waiting, read({ in_progress: true, attempts_left: 9 }))
  expect(screenOf(running)).toBe('processing')
  const ended = going(running, read({ attempts_left: 9, transaction_status: 'Declined' }))
  expect(ended).toMatchObject({ activity: 'idle', notice: { kind: 'declined', reason: undefined } })
  expect(going(running, read({ status: 'completed' })).leaving).toBe(true)
})

test('shows after half a minute that the payer may leave', () => {
  const waiting = going(sending(), paid({ kind: 'pending' }))
  expect(isSlow(going(waiting, { type: 'ticked', at: at + 30_000 }))).toBe(false)
  expect(isSlow(going(waiting, { type: 'ticked', at: at + 30_001 }))).toBe(true)
})

test('allows another try, with the same security code, after an unclear payment that never arrived', () => {
  const state = going(sending(), paid({ kind: 'unclear' }, {}))
  expect(state).toMatchObject({ activity: 'idle', notice: { kind: 'unclear' }, fields: { cvc: '123' } })
})

test('shows the outcome of an unclear payment that did arrive', () => {
  const failed = going(sending(), paid({ kind: 'unclear' }, { attempts_left: 9, transaction_status: 'Failed' }))
  expect(failed.notice).toEqual({ kind: 'failed' })
  expect(screenOf(going(sending(), paid({ kind: 'unclear' }, { status: 'completed' })))).toBe('completed')
})

test('hides the form while the outcome of an unclear payment cannot be read', () => {
  const state = going(sending(), { type: 'paid', answer: { kind: 'unclear' }, read: { kind: 'unavailable' }, at })
  expect(screenOf(state)).toBe('processing')
  expect(isOpen(state)).toBe(true)
  expect(going(state, read())).toMatchObject({ activity: 'idle', notice: { kind: 'unclear' } })
})

test('highlights a total that changes while the form is open', () => {
  const state = going(filled(), read({ amount_total: 1 }))
  expect(state).toMatchObject({ notice: { kind: 'amount_changed' }, fields: { number: card.number } })
})

test('highlights a total that changed while the payment was in flight', () => {
  const refused = paid({ kind: 'refused', status: 409 }, { amount_total: 1 })
  expect(going(sending(), read({ amount_total: 1 }), refused).notice).toEqual({ kind: 'amount_changed' })
})

test('shows a decline that the stream reported before the answer was lost', () => {
  const declined = { attempts_left: 9, transaction_status: 'Declined' } as const
  const state = going(sending(), read(declined), paid({ kind: 'unclear' }, declined))
  expect(state.notice).toEqual({ kind: 'declined', reason: undefined })
})

test('shows the pause after the decline that blocks a link, and then the form', () => {
  const state = going(sending(), paid({ kind: 'refused', status: 429 }, { retry_at: at + 600_000 }))
  expect([screenOf(state), state.notice]).toEqual(['blocked', undefined])
  expect(screenOf(going(state, { type: 'ticked', at: at + 600_000 }))).toBe('form')
})

test('sends nothing while offline, and says so', () => {
  const offline = going(filled(), { type: 'connection', online: false })
  expect(isCutOff(offline)).toBe(true)
  expect(going(offline, { type: 'submitted' })).toMatchObject({ activity: 'idle', notice: { kind: 'unclear' } })
  expect(isCutOff(going(offline, { type: 'connection', online: true }))).toBe(false)
})

test('shows briefly that the reference was copied', () => {
  const copied = going(after(read({ voucher })), { type: 'copied' })
  expect(isCopied(copied)).toBe(true)
  expect(isCopied(going(copied, { type: 'ticked', at: at + 4000 }))).toBe(false)
})

test('does not redirect a payer from a payment that had ended before they came', () => {
  expect(after(read({ status: 'completed' })).leaving).toBe(false)
})

test('keeps the form while a cancel is in flight when the time to pay ends', () => {
  const state = going(after(read()), { type: 'cancelling' }, { type: 'ticked', at: at + 900_000 })
  expect(screenOf(state)).toBe('form')
})

test('changes nothing when the browser reports a connection that the page has already', () => {
  const state = after(read())
  expect(going(state, { type: 'connection', online: true })).toBe(state)
})

test('keeps an outcome that the stream reported before the answer that the payment is pending', () => {
  const state = going(sending(), read({ status: 'completed' }), paid({ kind: 'pending' }))
  expect(state).toMatchObject({ activity: 'idle', session: { status: 'completed' }, notice: undefined })
})

test('redirects the payer after a cancel, and keeps the form if the cancel is rejected', () => {
  const cancelling = going(filled(), { type: 'cancelling' })
  expect(going(cancelling, { type: 'submitted' })).toBe(cancelling)
  const cancelled: Move = { type: 'cancelled', answer: { kind: 'unavailable' }, at }
  expect(going(cancelling, cancelled)).toMatchObject({ activity: 'idle', notice: { kind: 'cancel_failed' } })
  const session = sampleSession({ status: 'cancelled' })
  expect(going(cancelling, { ...cancelled, answer: { kind: 'session', session } }).leaving).toBe(true)
})
