import type { DemoAttempt, DemoHistory, DemoOrder } from '@cobro/contracts/demo'
import { addDays, dayOf } from '../time/utc-days.ts'

/** An attempt with the order that it would have paid. */
export interface PlacedAttempt {
  order: DemoOrder
  attempt: DemoAttempt
  /** Its place among the order's attempts, from 1. */
  number: number
}

/** An order with something that happened to its payment later. */
export type Refunded = DemoOrder & { refund: NonNullable<DemoOrder['refund']> }
export type Disputed = DemoOrder & { dispute: NonNullable<DemoOrder['dispute']> }

/** What happened on a UTC day, to the ledger or without an effect on it. */
export interface DemoDay {
  day: string
  attempts: PlacedAttempt[]
  refunds: Refunded[]
  opened: Disputed[]
  resolved: Disputed[]
}

/** Returns the days from the first attempt to `last`, each with what ended on it. */
export function demoDays({ orders, since }: DemoHistory, last: string): DemoDay[] {
  const placed = orders.flatMap(order =>
    order.attempts.map((attempt, index) => ({ order, attempt, number: index + 1 })),
  )
  const refunded = orders.filter((order): order is Refunded => order.refund !== null)
  const disputed = orders.filter((order): order is Disputed => order.dispute !== null)
  const attempts = Map.groupBy(placed, ({ attempt }) => dayOf(attempt.ended_at))
  const refunds = Map.groupBy(refunded, ({ refund }) => dayOf(refund.ended_at))
  const opened = Map.groupBy(disputed, ({ dispute }) => dayOf(dispute.opened_at))
  const resolved = Map.groupBy(disputed, ({ dispute }) => dispute.resolved_at && dayOf(dispute.resolved_at))
  const days: DemoDay[] = []
  for (let day = dayOf(since); day <= last; day = addDays(day, 1)) {
    const of = <T>(groups: Map<string | null, T[]>) => groups.get(day) ?? []
    days.push({ day, attempts: of(attempts), refunds: of(refunds), opened: of(opened), resolved: of(resolved) })
  }
  return days
}
