import type { DemoOrder } from '@cobro/contracts/demo'
import { dayMs, hourMs } from './shop-clock.ts'
import { disputedPayments, refundRate, refusedRefund } from './shop-profile.ts'
import { type ShopRandom, shopRandom } from './shop-random.ts'

type Paid = Omit<DemoOrder, 'refund' | 'dispute'>

/** Adds the refunds and disputes that came before `until`. No payment has both. */
export function withAftermath(seed: string, orders: readonly Paid[], until: number): DemoOrder[] {
  const random = shopRandom(seed, 'disputes')
  const disputes = new Map(disputedPayments.map(given => [disputedOrder(random, orders, until, given.daysAgo), given]))
  let refunds = 0
  return orders.map(order => {
    const disputed = disputes.get(order)
    if (disputed) return { ...order, refund: null, dispute: disputeOf(random, order, disputed) }
    const refund = refundOf(shopRandom(seed, `refund ${order.payable_id}`), order, until)
    if (!refund) return { ...order, refund, dispute: null }
    refunds += 1
    return { ...order, refund: refunds === refusedRefund ? refused(refund) : refund, dispute: null }
  })
}

const approvedCard = ({ attempts }: Paid) => {
  const last = attempts.at(-1)
  return last?.status === 'approved' && last.payment_method === 'card' ? last : undefined
}

function disputedOrder(random: ShopRandom, orders: readonly Paid[], until: number, daysAgo: number): Paid {
  const from = until - daysAgo * dayMs
  const candidates = orders.filter(order => {
    const paidAt = approvedCard(order)?.ended_at.getTime() ?? 0
    return paidAt > from && paidAt < from + 2 * dayMs
  })
  return random.pick(candidates)
}

function disputeOf(
  random: ShopRandom,
  order: Paid,
  { reason, network_reason_code, status }: (typeof disputedPayments)[number],
): DemoOrder['dispute'] {
  const opened = (order.ended_at?.getTime() ?? 0) + random.between(5, 10) * dayMs
  const resolved_at = status === 'open' ? null : new Date(opened + random.between(14, 24) * dayMs)
  const times = { opened_at: new Date(opened), due_by: new Date(opened + 20 * dayMs), resolved_at }
  return { reason, network_reason_code, status, ...times }
}

function refundOf(random: ShopRandom, order: Paid, until: number): DemoOrder['refund'] {
  const paid = approvedCard(order)
  if (!paid || !random.happens(refundRate)) return null
  const requested = paid.ended_at.getTime() + random.next() ** 2 * 6 * dayMs + hourMs / 2
  const ended = requested + random.between(1_500, 40_000)
  if (ended >= until) return null
  return {
    id: random.id('rfd', requested),
    status: 'completed',
    failure_reason: null,
    acquirer_reference: `re_${random.digits(12)}`,
    requested_at: new Date(requested),
    ended_at: new Date(ended),
  }
}

function refused(refund: NonNullable<DemoOrder['refund']>): DemoOrder['refund'] {
  return { ...refund, status: 'failed', failure_reason: 'refused' }
}
