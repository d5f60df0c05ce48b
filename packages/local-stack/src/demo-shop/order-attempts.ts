import type { DemoAttempt } from '@cobro/contracts/demo'
import { dayMs, hourMs, minuteMs, shopDay, shopHour, shopTime } from './shop-clock.ts'
import type { ShopCustomer } from './shop-customers.ts'
import { cardBrands, cashPaidRate, declineRates, declineShares, failureRate } from './shop-profile.ts'
import type { ShopRandom } from './shop-random.ts'

/** Who pays what, and when they begin. */
interface Paying {
  random: ShopRandom
  customer: ShopCustomer
  amountCents: number
  beginsAt: number
}

const maxAttempts = 3
const repeatRate = 0.68
const otherCardRate = 0.35

/** Returns the attempts to pay by card: the last is approved, or the payer gives up. */
export function cardAttempts(paying: Paying): DemoAttempt[] {
  const { random, customer } = paying
  const attempts: DemoAttempt[] = []
  let card = customer.card
  let at = paying.beginsAt
  while (attempts.length < maxAttempts) {
    const attempt = cardAttempt(random, card, { at, repeated: attempts.length > 0 })
    attempts.push(attempt)
    if (attempt.status === 'approved' || !random.happens(repeatRate)) break
    if (random.happens(otherCardRate)) card = { brand: random.weighted(cardBrands), last4: random.digits(4) }
    at = attempt.ended_at.getTime() + random.between(25_000, 4 * minuteMs)
  }
  return attempts
}

function cardAttempt(
  random: ShopRandom,
  card: ShopCustomer['card'],
  { at, repeated }: { at: number; repeated: boolean },
): DemoAttempt {
  const created_at = new Date(at)
  const declined = random.happens(repeated ? declineRates.repeated : declineRates.first)
  const status = declined ? 'declined' : random.happens(failureRate) ? 'failed' : 'approved'
  const decline_reason =
    status === 'declined' ? random.weighted(declineShares) : status === 'failed' ? 'processing_error' : null
  const suspected = decline_reason === 'suspected_fraud'
  return {
    transaction_id: random.id('txn', at),
    payment_method: 'card',
    card: { ...card },
    status,
    decline_reason,
    risk_score: status === 'failed' ? null : Math.floor(suspected ? random.between(82, 99) : 42 * random.next() ** 2),
    acquirer_reference: status === 'failed' ? null : `ch_${random.digits(12)}`,
    voucher: null,
    created_at,
    ended_at: new Date(at + random.between(600, 3_800)),
  }
}

const opens = 8
const closes = 22

/** Returns the attempt to pay in cash: the voucher is paid while stores are open, or expires on its third day. */
export function cashAttempt({ random, amountCents, beginsAt }: Paying, { quick }: { quick: boolean }): DemoAttempt {
  const dueDay = shopDay(beginsAt) + 3 * dayMs
  const due_at = new Date(shopTime(dueDay, dayMs - minuteMs))
  const waits = quick ? random.between(10 * minuteMs, 2 * hourMs) : random.between(0.4, 1) ** 3 * 44 * hourMs
  const walksInAt = beginsAt + waits
  const hour = shopHour(walksInAt)
  const paidAt = hour < opens || hour >= closes ? walksInAt + 10 * hourMs : walksInAt
  const paid = quick || (random.happens(cashPaidRate) && paidAt < due_at.getTime())
  const reference = `93${random.digits(12)}`
  return {
    transaction_id: random.id('txn', beginsAt),
    payment_method: 'cash',
    card: null,
    status: paid ? 'approved' : 'expired',
    decline_reason: null,
    risk_score: null,
    acquirer_reference: paid ? reference : null,
    voucher: { reference, barcode: barcodeOf(reference, dueDay, amountCents), due_at },
    created_at: new Date(beginsAt),
    ended_at: paid ? new Date(paidAt) : new Date(due_at.getTime() + random.between(2_000, 9_000)),
  }
}

/** Returns a barcode of the length that the sandbox prints. No scanner will read it, so its check digit is always zero. */
function barcodeOf(reference: string, dueDay: number, amountCents: number): string {
  const day = new Date(dueDay).toISOString().slice(2, 10).replaceAll('-', '')
  return `${reference}${day}${String(amountCents).padStart(11, '0')}0`
}
