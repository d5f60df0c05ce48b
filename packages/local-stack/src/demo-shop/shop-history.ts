import type { Id } from '@cobro/contracts'
import type { DemoHistory, DemoTerms } from '@cobro/contracts/demo'
import { withAftermath } from './order-aftermath.ts'
import { dayMs, shopDay, shopTime } from './shop-clock.ts'
import { shopDays, shopOrders } from './shop-orders.ts'
import { demoShop } from './shop-profile.ts'
import { shopRandom } from './shop-random.ts'

/** What the same past is made from each time. */
export interface HistorySource {
  merchant_id: Id<'mrc'>
  hosted_url: string
  /** Text that cannot be guessed, as the ids are made of it and open hosted pages. */
  seed: string
  until: Date
}

/** Returns 90 days of the demo shop, of which the last is that of `until` in Mexico City. */
export function shopHistory({ merchant_id, hosted_url, seed, until }: HistorySource): DemoHistory {
  const today = shopDay(until.getTime())
  const since = shopTime(today - (shopDays - 1) * dayMs, 0)
  const orders = shopOrders({ seed, until: until.getTime(), today })
  return {
    merchant: { id: merchant_id, name: demoShop.name },
    hosted_url,
    since: new Date(since),
    until,
    currency: 'MXN',
    terms: termsOf(seed, since),
    orders: withAftermath(seed, orders, until.getTime()),
  }
}

const tax_bps = 1_600

function termsOf(seed: string, since: number): DemoTerms {
  const random = shopRandom(seed, 'terms')
  const card = { payment_method: 'card', fixed_cents: 250, tax_bps } as const
  return {
    fee_rules: [
      { id: random.id('fee', since), name: 'Tarjetas en línea', ...card, card_brand: null, percent_bps: 290 },
      { id: random.id('fee', since), name: 'American Express', ...card, card_brand: 'amex', percent_bps: 360 },
      {
        id: random.id('fee', since),
        name: 'Efectivo',
        ...{ payment_method: 'cash', card_brand: null, percent_bps: 320, fixed_cents: 600, tax_bps },
      },
    ],
    reserve: { id: random.id('rsv', since), percent_bps: 500, hold_days: 14 },
    payouts: { id: random.id('stc', since), weekday: 7, delay_days: 2 },
  }
}
