import { isForPayment, isFresh } from './card-purpose.ts'

const purpose = { payable_id: 'cs_1', amount_cents: 25_000, currency: 'MXN', iat: 1_795_000_000, jti: 'a'.repeat(36) }
const payment = { payable_id: 'cs_1', amount_cents: 25_000, currency: 'MXN', attempt: 'pi_1:1' }

test('a card is for the payment with its payable, amount and currency', () => {
  expect(isForPayment(purpose, payment)).toBe(true)
  expect(isForPayment(purpose, { ...payment, attempt: 'pi_1:2' })).toBe(true)
  for (const change of [{ payable_id: 'cs_2' }, { amount_cents: 25_001 }, { currency: 'USD' }])
    expect(isForPayment(purpose, { ...payment, ...change })).toBe(false)
})

test.each([
  [-61, false],
  [-60, true],
  [0, true],
  [600, true],
  [601, false],
  [86_400, false],
])('a card that was encrypted %i seconds ago is fresh: %p', (age, expected) => {
  expect(isFresh(purpose, (purpose.iat + age) * 1000)).toBe(expected)
})
