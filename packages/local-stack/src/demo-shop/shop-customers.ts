import { cardBrands, customers, firstNames, lastNames } from './shop-profile.ts'
import { shopRandom } from './shop-random.ts'

/** Someone who buys at the shop, with the card that they use. */
export interface ShopCustomer {
  first_name: string
  last_name: string
  email: string
  card: { brand: string; last4: string }
}

/** Returns a function that finds a customer by a number from 0 to 1: some come often, many once. */
export function shopCustomers(seed: string): (place: number) => ShopCustomer {
  const known = new Map<number, ShopCustomer>()
  return place => {
    const number = Math.floor(customers * place ** 2.2)
    const customer = known.get(number) ?? newCustomer(seed, number)
    known.set(number, customer)
    return customer
  }
}

function newCustomer(seed: string, number: number): ShopCustomer {
  const random = shopRandom(seed, `customer ${number}`)
  const first_name = random.pick(firstNames)
  const last_name = random.pick(lastNames)
  const name = `${first_name}.${last_name}`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const email = `${name}${number}@${random.happens(0.4) ? 'example.mx' : 'example.com'}`
  return { first_name, last_name, email, card: { brand: random.weighted(cardBrands), last4: random.digits(4) } }
}
