import { newId } from '@cobro/contracts'
import { concurrently, payers } from './payers.ts'

const many = 5_000
const honest = 1_000
const atOnce = 16

let world: Awaited<ReturnType<typeof payers>>
beforeEach(async () => {
  world = await payers({ replicas: 2 })
})
afterEach(() => world?.stop())

function tally(results: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1
  return counts
}

test('of 5,000 cards that 50 addresses try on one link, at most 1 % reach the acquirer', async () => {
  const link = await world.link()
  const results = await concurrently(many, atOnce, number =>
    world.pay(link, { address: `203.0.113.${number % 50}`, card: `card ${number}`, declined: true }),
  )
  process.stdout.write(`card testing: ${JSON.stringify({ ...tally(results), ...world.asked })}\n`)
  expect(world.asked.tokens).toBeLessThanOrEqual(many / 100)
  expect(world.asked.charges).toBeLessThanOrEqual(many / 100)
  expect(tally(results).rate_limited).toBeGreaterThan(many / 2)
})

test('after each pause that the link asks for, a script gets no more than the limit of a day', async () => {
  const link = await world.link()
  // Each pass tries until it has to wait, then goes on as if the time had passed.
  for (let pass = 0; pass < 10; pass++) {
    for (let card = 0; card < 15; card++)
      await world.pay(link, { address: '203.0.113.1', card: `${pass}.${card}`, declined: true })
    await world.database.query(`update checkout.payment_links set blocked_until = now() where id = $1`, [link])
    await world.database.query(
      `update checkout.payment_blocks set ends_at = now() where rule in ('payable_declines', 'address_declines')`,
    )
  }
  expect(world.asked.tokens).toBe(world.limits.payable_attempts.max)
})

test('1,000 payers behind one address pay their own sessions, some at the second try', async () => {
  const merchant = newId('mrc')
  const address = '198.51.100.7'
  const results = await concurrently(honest, atOnce, async number => {
    const session = await world.session(merchant)
    const card = `card ${number}`
    const declined = number % 20 === 0 ? [await world.pay(session, { address, card, declined: true })] : []
    return [...declined, await world.pay(session, { address, card })]
  })
  expect(tally(results.flat())).toEqual({ approved: honest, do_not_honor: honest / 20 })
})
