import type { HostedPayable } from '@cobro/contracts'
import { after, filled, going, paid, read, voucher } from './move-samples.ts'
import { isVoucherComing, methodOf, screenOf } from './page-state.ts'

const cash = { payment_method_types: ['card', 'cash'] } satisfies Partial<HostedPayable>
const byCash = (changes: Partial<HostedPayable> = {}) =>
  going(after(read({ ...cash, ...changes })), { type: 'chosen', method: 'cash' })

test('pays with the method that the payer chose if the merchant accepts it', () => {
  expect(methodOf(after(read(cash)))).toBe('card')
  expect(methodOf(byCash())).toBe('cash')
  expect(methodOf(going(byCash(), read()))).toBe('card')
  expect(methodOf(after(read({ payment_method_types: ['cash'] })))).toBe('cash')
})

test('requires of a cash payer only that the e-mail address is valid', () => {
  expect(going(byCash(), { type: 'submitted' }).activity).toBe('sending')
  const state = going(byCash(), { type: 'typed', field: 'email', value: 'ana' }, { type: 'submitted' })
  expect(state).toMatchObject({ activity: 'idle', faults: { email: 'email_wrong' } })
})

test('changes the payment method only while nothing is in progress', () => {
  expect(methodOf(going(byCash(), { type: 'submitted' }, { type: 'chosen', method: 'card' }))).toBe('cash')
})

test('shows the voucher from the answer, from the stream, or from the read after a lost answer', () => {
  const asked = going(byCash(), { type: 'submitted' })
  const issued = read({ ...cash, voucher })
  const answered = going(asked, paid({ kind: 'pending', voucher }))
  expect(screenOf(answered)).toBe('voucher')
  expect(answered.session?.expires_at).toBe(Date.parse(voucher.due_at))
  expect(screenOf(going(asked, issued))).toBe('form')
  expect(screenOf(going(asked, issued, paid({ kind: 'pending', voucher })))).toBe('voucher')
  expect(screenOf(going(asked, paid({ kind: 'unclear' }, { ...cash, voucher })))).toBe('voucher')
  const waiting = going(asked, paid({ kind: 'pending' }))
  expect(isVoucherComing(waiting)).toBe(true)
  expect(going(waiting, issued)).toMatchObject({ activity: 'idle', notice: undefined, sentFrom: undefined })
})

test('shows that a voucher was paid without any action of the payer', () => {
  const state = going(after(read({ voucher })), read({ status: 'completed', voucher }))
  expect([screenOf(state), state.leaving]).toEqual(['completed', true])
})

test('accepts no card while a voucher is open', () => {
  expect(going({ ...filled({ voucher }) }, { type: 'submitted' }).activity).toBe('idle')
})
