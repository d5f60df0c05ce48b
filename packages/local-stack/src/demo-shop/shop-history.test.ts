import type { DemoHistory } from '@cobro/contracts/demo'
import { demoHistory } from '@cobro/contracts/demo'
import { shopDay, shopHour } from './shop-clock.ts'
import { shopHistory } from './shop-history.ts'
import { shopDays } from './shop-orders.ts'

const source = {
  merchant_id: 'mrc_01kdvc4x2m8p6q7r9s0t1v2w3x',
  hosted_url: 'http://127.0.0.1:4000',
  seed: 'a seed',
  // 21:30 in Mexico City, on a Thursday.
  until: new Date('2026-11-27T03:30:00.000Z'),
} as const

let history: DemoHistory
let attempts: DemoHistory['orders'][number]['attempts']
beforeAll(() => {
  history = shopHistory(source)
  attempts = history.orders.flatMap(order => order.attempts)
})

const share = (part: readonly unknown[], whole: readonly unknown[]) => part.length / whole.length
const countBy = <T>(values: readonly T[], keyOf: (value: T) => number) => {
  const groups = Map.groupBy(values, keyOf)
  return (key: number) => groups.get(key)?.length ?? 0
}

test('the same source makes the same past, another seed another, and the contract accepts it', () => {
  const json = JSON.stringify(history)
  // As texts, because a comparison of so many objects takes seconds.
  expect(JSON.stringify(shopHistory(source)) === json).toBe(true)
  expect(shopHistory({ ...source, seed: 'another' }).orders[0]?.payable_id).not.toBe(history.orders[0]?.payable_id)
  expect(demoHistory.safeParse(JSON.parse(json)).error).toBeUndefined()
})

test('every id is used once', () => {
  const { orders } = history
  const ids = [
    ...orders.flatMap(order => [order.payable_id, order.correlation_id, order.payment_intent_id, order.reference]),
    ...attempts.flatMap(({ transaction_id, acquirer_reference }) => [
      transaction_id,
      acquirer_reference ?? transaction_id,
    ]),
  ]
  const doubled = attempts.filter(({ acquirer_reference }) => acquirer_reference === null).length
  expect(new Set(ids).size).toBe(ids.length - doubled)
})

test('the past has 90 days of payments as a bakery has them, and ends at its end', () => {
  const days = new Set(history.orders.map(order => shopDay(order.created_at.getTime())))
  expect(days.size).toBe(shopDays)
  expect(attempts.length).toBeGreaterThan(3_000)
  expect(attempts.length).toBeLessThan(5_000)
  const times = history.orders.flatMap(({ created_at, viewed_at, ended_at, refund, dispute, ...order }) => [
    ...[created_at, viewed_at, ended_at, refund?.ended_at, dispute?.resolved_at ?? dispute?.opened_at],
    ...order.attempts.map(attempt => attempt.ended_at),
  ])
  expect(times.filter(time => time && time >= source.until)).toEqual([])
})

test('nights are quiet, lunch and evening are busy, weekends are strong, and trade grows', () => {
  const ofHour = countBy(history.orders, order => shopHour(order.created_at.getTime()))
  const night = [0, 1, 2, 3, 4].reduce((sum, hour) => sum + ofHour(hour), 0)
  expect(night / history.orders.length).toBeLessThan(0.015)
  expect(Math.min(ofHour(14), ofHour(19))).toBeGreaterThan(1.3 * Math.max(ofHour(10), ofHour(16)))
  const ofWeekday = countBy(history.orders, order => new Date(shopDay(order.created_at.getTime())).getUTCDay())
  expect(Math.min(ofWeekday(6), ofWeekday(0))).toBeGreaterThan(1.3 * Math.max(ofWeekday(1), ofWeekday(2)))
  const since = history.since.getTime()
  const month = countBy(history.orders, order => Math.floor((order.created_at.getTime() - since) / (30 * 86_400_000)))
  expect(month(2)).toBeGreaterThan(1.1 * month(0))
})

test('declines, failures, cash, refunds and disputes have believable shares', () => {
  const cards = attempts.filter(({ payment_method }) => payment_method === 'card')
  const declined = cards.filter(({ status }) => status === 'declined')
  expect(share(declined, cards)).toBeGreaterThan(0.08)
  expect(share(declined, cards)).toBeLessThan(0.12)
  const ofReason = Map.groupBy(declined, ({ decline_reason }) => decline_reason)
  expect(ofReason.size).toBeGreaterThan(8)
  const [most] = [...ofReason].toSorted(([, a], [, b]) => b.length - a.length)
  expect(most?.[0]).toBe('insufficient_funds')
  const cash = attempts.filter(({ payment_method }) => payment_method === 'cash')
  expect(new Set(cash.map(({ status }) => status))).toEqual(new Set(['approved', 'expired']))
  const refunds = history.orders.flatMap(({ refund }) => refund ?? [])
  expect(
    share(
      refunds,
      cards.filter(({ status }) => status === 'approved'),
    ),
  ).toBeGreaterThan(0.018)
  expect(
    share(
      refunds,
      cards.filter(({ status }) => status === 'approved'),
    ),
  ).toBeLessThan(0.034)
  expect(refunds.filter(({ status }) => status === 'failed')).toHaveLength(1)
  const disputes = history.orders.flatMap(({ dispute }) => dispute?.status ?? [])
  expect(disputes.toSorted()).toEqual(['lost', 'lost', 'open', 'won', 'won'])
})

test('an order is paid by its last attempt only, for the sum of its line items', () => {
  const wrong = history.orders.filter(({ attempts: ofOrder, status, line_items, amount_cents, customer }) => {
    const approved = ofOrder.filter(attempt => attempt.status === 'approved')
    const paid =
      approved.length === (status === 'paid' ? 1 : 0) && (status !== 'paid' || approved[0] === ofOrder.at(-1))
    const sum = line_items.reduce((cents, { unit_price, quantity }) => cents + unit_price * quantity, 0)
    const payer = /^[a-z]+\.[a-z]+\d+@example\.(com|mx)$/.test(customer.email ?? '')
    return !paid || !payer || (line_items.length > 0 && sum !== amount_cents)
  })
  expect(wrong).toEqual([])
})

test.each(['2026-01-01T06:00:00.001Z', '2028-02-29T23:59:59.999Z'])(
  'a past until %s has its disputes and nothing later',
  time => {
    const until = new Date(time)
    const { orders } = shopHistory({ ...source, until })
    expect(orders.filter(({ dispute }) => dispute)).toHaveLength(5)
    expect(orders.filter(({ created_at }) => created_at >= until)).toEqual([])
  },
)
