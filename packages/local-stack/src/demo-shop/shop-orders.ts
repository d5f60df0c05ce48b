import type { DemoAttempt, DemoOrder } from '@cobro/contracts/demo'
import { cardAttempts, cashAttempt } from './order-attempts.ts'
import { basket, commission } from './order-content.ts'
import { dayMs, hourMs, minuteMs, shopTime } from './shop-clock.ts'
import { shopCustomers } from './shop-customers.ts'
import {
  abandonedRate,
  cancelledRate,
  cashRate,
  growth,
  hourWeights,
  linkRate,
  ordersPerDay,
  unseenRate,
  weekdayWeights,
} from './shop-profile.ts'
import { type ShopRandom, shopRandom } from './shop-random.ts'

/** The days of the demo data, with the day of the load, which is not over. */
export const shopDays = 90
/** Vouchers of the last days are paid soon, because one that is open would have to be known to the acquirer. */
const quickCashDays = 4

type Customers = ReturnType<typeof shopCustomers>
type NewOrder = Omit<DemoOrder, 'refund' | 'dispute'>

/** Returns the orders of all days in the order of their times. None has anything after `until`. */
export function shopOrders({ seed, until, today }: { seed: string; until: number; today: number }): NewOrder[] {
  const customers = shopCustomers(seed)
  const orders: NewOrder[] = []
  for (let index = 0; index < shopDays; index++) {
    const day = today - (shopDays - 1 - index) * dayMs
    for (const [number, at] of timesOfDay(seed, day, index).entries()) {
      const label = `${new Date(day).toISOString().slice(0, 10)} ${number}`
      const quickCash = index >= shopDays - quickCashDays
      const order = at < until && shopOrder(shopRandom(seed, label), customers, { at, until, quickCash })
      if (order) orders.push({ ...order, reference: `LE-${10_000 + orders.length}` })
    }
  }
  return orders
}

function timesOfDay(seed: string, day: number, index: number): number[] {
  const random = shopRandom(seed, `day ${index}`)
  const trend = 1 + (growth - 1) * (index / (shopDays - 1) - 0.5)
  const weekday = weekdayWeights[new Date(day).getUTCDay()] ?? 1
  const count = Math.round(ordersPerDay * trend * weekday * random.between(0.88, 1.12))
  const times = Array.from({ length: count }, () => random.weighted(hourWeights) * hourMs + random.next() * hourMs)
  return times.toSorted((a, b) => a - b).map(time => Math.floor(shopTime(day, time)))
}

interface OrderTime {
  at: number
  until: number
  quickCash: boolean
}

/** Returns an order, or undefined if it would still be in the middle of a payment at the end. */
function shopOrder(
  random: ShopRandom,
  customers: Customers,
  { at, until, quickCash }: OrderTime,
): NewOrder | undefined {
  const isLink = random.happens(linkRate)
  const content = isLink ? commission(random) : basket(random)
  const customer = customers(random.next())
  const viewedAt = at + (isLink ? random.next() ** 2 * 3 * hourMs + minuteMs : random.between(900, 9_000))
  const seen = !random.happens(unseenRate) && viewedAt < until
  const pays = seen && !random.happens(abandonedRate)
  const beginsAt = Math.floor(viewedAt + random.between(20_000, 5 * minuteMs))
  const paying = { random, customer, amountCents: content.amount_cents, beginsAt }
  const byCash = pays && random.happens(cashRate)
  const attempts = byCash ? [cashAttempt(paying, { quick: quickCash })] : pays ? cardAttempts(paying) : []
  if (attempts.some(attempt => attempt.ended_at.getTime() >= until)) return undefined
  const expiresAt = attempts[0]?.voucher?.due_at.getTime() ?? at + (isLink ? 7 : 1) * dayMs
  const { first_name, last_name, email } = customer
  return {
    payable_id: isLink ? random.id('pl', at) : random.id('cs', at),
    correlation_id: random.id('corr', at),
    payment_intent_id: random.id('pi', at),
    ...content,
    ...ending(random, attempts, { at, expiresAt, until }),
    currency: 'MXN',
    reference: '',
    customer: { first_name, last_name, email },
    payment_method_types: ['card', 'cash'],
    created_at: new Date(at),
    viewed_at: seen ? new Date(viewedAt) : null,
    expires_at: new Date(expiresAt),
    attempts,
  }
}

function ending(
  random: ShopRandom,
  attempts: readonly DemoAttempt[],
  { at, expiresAt, until }: { at: number; expiresAt: number; until: number },
): Pick<DemoOrder, 'status' | 'ended_at'> {
  const last = attempts.at(-1)
  if (last?.status === 'approved') return { status: 'paid', ended_at: last.ended_at }
  const cancelledAt = at + random.between(10 * minuteMs, 5 * hourMs)
  if (!last && random.happens(cancelledRate) && cancelledAt < until)
    return { status: 'cancelled', ended_at: new Date(cancelledAt) }
  // A voucher expires a moment after its session does.
  const endedAt =
    last?.payment_method === 'cash' ? last.ended_at.getTime() - 1_000 : expiresAt + random.between(200, 2_000)
  return endedAt < until ? { status: 'expired', ended_at: new Date(endedAt) } : { status: 'open', ended_at: null }
}
