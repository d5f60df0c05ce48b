import { paymentQueriesOf } from './payment-query.ts'

test.each([
  ['4242 1250', [{ card_last4: '4242', amount_cents: '125000' }]],
  [' 0042  $1,250.5 ', [{ card_last4: '0042', amount_cents: '125050' }]],
  ['4242', [{ card_last4: '4242' }, { search: '4242' }]],
  [' 0042 ', [{ card_last4: '0042' }, { search: '0042' }]],
  ['42421250', [{ search: '42421250' }]],
  ['4242 0', [{ search: '4242 0' }]],
  ['4242 1,5', [{ search: '4242 1,5' }]],
  ['4242 1250 MXN', [{ search: '4242 1250 MXN' }]],
  ['$1,250', [{ amount_cents: '125000' }, { search: '$1,250' }]],
  [' 0.5 ', [{ amount_cents: '50' }, { search: '0.5' }]],
  ['1,250.50', [{ amount_cents: '125050' }, { search: '1,250.50' }]],
  ['1,250', [{ search: '1,250' }]],
  ['ord-1.50', [{ search: 'ord-1.50' }]],
  ['$0', [{ search: '$0' }]],
  ['ana@example.com', [{ search: 'ana@example.com' }]],
])('%j asks for payments with %j', (text, queries) => {
  expect(paymentQueriesOf(text)).toEqual(queries)
})
