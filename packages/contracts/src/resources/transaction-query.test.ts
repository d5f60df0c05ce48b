import { transactionOperations } from './transactions.ts'

const { query } = transactionOperations.list

test('the query of transactions keeps a card apart from the filters by columns', () => {
  const asked = { card_last4: '0077', card_brand: 'visa', decline_reason: 'lost_card,stolen_card', folio: 'A-1' }
  expect(query.parse(asked)).toMatchObject({
    ...{ card_last4: '0077', card_brand: 'visa', terms: [] },
    filters: { decline_reason: ['lost_card', 'stolen_card'], reference: 'A-1' },
  })
})

test('the query of transactions is by when they were created, or by another time', () => {
  expect(query.parse({})).toMatchObject({ time: 'created_at', order: 'created_at' })
  for (const time of ['refunded_at', 'disputed_at']) expect(query.parse({ time })).toMatchObject({ time, order: time })
})

test.each([
  { card_last4: '77' },
  { card_last4: '00770' },
  { card_brand: 'VISA' },
  { decline_reason: 'bad_luck' },
  { time: 'updated_at' },
  { order: 'refunded_at' },
])('the query of transactions rejects %j', asked => {
  expect(query.safeParse(asked).success).toBe(false)
})
