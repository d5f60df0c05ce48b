import type { DemoOrder } from '@cobro/contracts/demo'
import { commissions, products } from './shop-profile.ts'
import type { ShopRandom } from './shop-random.ts'

type OrderContent = Pick<DemoOrder, 'amount_cents' | 'concepto' | 'line_items'>

/** Returns what is in the basket of a session: one to four products. */
export function basket(random: ShopRandom): OrderContent {
  const wanted = random.weighted([
    [1, 46],
    [2, 31],
    [3, 16],
    [4, 7],
  ])
  const chosen = new Map<string, DemoOrder['line_items'][number]>()
  for (let index = 0; index < wanted; index++) {
    const product = random.weighted(products)
    const quantity = (chosen.get(product.product_id)?.quantity ?? 0) + 1
    chosen.set(product.product_id, { ...product, quantity })
  }
  const line_items = [...chosen.values()]
  const amount_cents = line_items.reduce((sum, { unit_price, quantity }) => sum + unit_price * quantity, 0)
  return { amount_cents, concepto: 'Pedido en línea', line_items }
}

/** Returns what a link is for: a commission with a round price. */
export function commission(random: ShopRandom): OrderContent {
  const [concepto, least, most] = random.weighted(commissions)
  const pesos = Math.floor(random.between(least, most) / 10) * 10
  return { amount_cents: pesos * 100, concepto, line_items: [] }
}
