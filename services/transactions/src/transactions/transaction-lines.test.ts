import { newId, type Transaction, transactionColumns, transactionFormatOf } from '@cobro/contracts'
import { transactionLines } from './transaction-lines.ts'

const row: Transaction = {
  id: newId('txn'),
  type: 'payment',
  correlation_id: newId('corr'),
  payment_intent_id: null,
  order_id: '=1+1',
  payment_link_id: null,
  reference: 'A, "1"',
  payer_email: '+ana@example.com',
  merchant_id: newId('mrc'),
  rail: 'online_cnp',
  payment_method: 'card',
  status: 'approved',
  amount_cents: 123_405,
  currency: 'MXN',
  fee_cents: 7,
  card: { brand: 'visa', last4: '0042' },
  customer_ref: '@x',
  decline_reason: null,
  risk_score: -1.5,
  terminal_id: null,
  created_at: new Date('2026-03-01T05:30:00.000Z'),
  updated_at: new Date('2026-03-01T05:30:00.000Z'),
  captured_at: null,
  metadata: { plan: 'gold' },
  refund_status: null,
  refund_id: null,
  refund_requested_at: null,
  refunded_at: null,
  manual_refund: false,
}
const csv = (given: object) => transactionLines(transactionFormatOf({ format: 'csv', ...given }))

test('amounts are decimals with their currency beside them, and times have the offset of the zone', () => {
  const { header, linesOf } = csv({
    tz: 'America/Mexico_City',
    columns: ['amount', 'fee', 'currency', 'created_at', 'captured_at'],
  })
  expect(header).toBe('amount,fee,currency,created_at,captured_at\r\n')
  expect(linesOf([row, row])).toBe('1234.05,0.07,MXN,2026-02-28T23:30:00.000-06:00,\r\n'.repeat(2))
})

test('texts that are formulas are harmless, numbers and digits stay', () => {
  const { linesOf } = csv({
    columns: ['order_id', 'payer_email', 'customer_ref', 'reference', 'risk_score', 'card_last4', 'metadata'],
  })
  expect(linesOf([row])).toBe(`'=1+1,'+ana@example.com,'@x,"A, ""1""",-1.5,0042,"{""plan"":""gold""}"\r\n`)
})

test('every column is written', () => {
  const { header, linesOf } = csv({ columns: transactionColumns })
  expect(header.trimEnd().split(',')).toEqual([...transactionColumns])
  expect(linesOf([row])).toContain(row.correlation_id)
})

test('a line of NDJSON is the transaction as in the list', () => {
  const { header, linesOf } = transactionLines({ format: 'ndjson' })
  expect([header, linesOf([])]).toEqual(['', ''])
  expect(
    linesOf([row])
      .split('\n')
      .map(line => line && JSON.parse(line)),
  ).toEqual([JSON.parse(JSON.stringify(row)), ''])
})
