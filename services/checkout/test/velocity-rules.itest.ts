import { newId } from '@cobro/contracts'
import { operatorCaller } from '@cobro/http/test-identity'
import { forgetCounted } from '../src/velocity-rules/forget-counted.ts'
import { liftBlock } from '../src/velocity-rules/lift-block.ts'
import { concurrently, payers } from './payers.ts'

type World = Awaited<ReturnType<typeof payers>>
let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const hour = (max: number) => ({ max, windowMs: 3_600_000 })
const address = '203.0.113.7'
const declined = { address, declined: true }

async function open(options: Parameters<typeof payers>[0]): Promise<World> {
  world = await payers(options)
  return world
}

/** Tries to pay that many sessions of a merchant, one after the other. */
async function paySessions(at: World, times: number, one: Parameters<World['pay']>[1], merchant = newId('mrc')) {
  const results: string[] = []
  for (let time = 0; time < times; time++) results.push(await at.pay(await at.session(merchant), one))
  return results
}

const blocksOf = ({ database }: World) =>
  database.query(
    'select id, rule, merchant_id, max_attempts, window_seconds from checkout.payment_blocks order by created_at',
  )

/** Lets an hour pass for what is stored. */
const passHour = async ({ database }: World) => {
  const hourAgo = (column: string) => `${column} = ${column} - interval '61 minutes'`
  await database.query(`update checkout.payment_attempts set ${hourAgo('created_at')}`)
  await database.query(`update checkout.payment_blocks set ${hourAgo('created_at')}, ${hourAgo('ends_at')}`)
}

test('declines in a row of an address block it for the window, at all sessions, and end with an approval', async () => {
  const at = await open({ limits: { address_declines: hour(3) } })
  expect(await paySessions(at, 2, declined)).toEqual(['do_not_honor', 'do_not_honor'])
  expect(await paySessions(at, 1, { address })).toEqual(['approved'])
  expect(await paySessions(at, 5, declined)).toEqual([...Array(3).fill('do_not_honor'), 'rate_limited', 'rate_limited'])
  expect(await paySessions(at, 1, { address: '203.0.113.8' })).toEqual(['approved'])
  expect(await blocksOf(at)).toEqual([
    expect.objectContaining({ rule: 'address_declines', max_attempts: 3, window_seconds: 3_600 }),
  ])
  await passHour(at)
  expect(await paySessions(at, 4, declined)).toEqual([...Array(3).fill('do_not_honor'), 'rate_limited'])
})

test('of attempts that begin at once at two replicas, no more than the limit reach the acquirer, and one block begins', async () => {
  const at = await open({ limits: { address_attempts: hour(10), address_declines: hour(1_000) }, replicas: 2 })
  const sessions = await Promise.all(Array.from({ length: 40 }, () => at.session()))
  const results = await concurrently(40, 40, number => at.pay(sessions[number] ?? newId('cs'), declined))
  expect(new Set([...results, 'do_not_honor', 'rate_limited'])).toEqual(new Set(['do_not_honor', 'rate_limited']))
  expect(at.asked.tokens).toBeLessThanOrEqual(10)
  expect(at.asked.tokens).toBe(results.filter(result => result === 'do_not_honor').length)
  expect(await blocksOf(at)).toEqual([expect.objectContaining({ rule: 'address_attempts' })])
})

test('approved payments are given back', async () => {
  const at = await open({ limits: { address_attempts: hour(2), merchant_attempts: hour(2), card_attempts: hour(2) } })
  const merchant = newId('mrc')
  expect(new Set(await paySessions(at, 10, { address, card: 'one' }, merchant))).toEqual(new Set(['approved']))
  await paySessions(at, 2, { ...declined, card: 'one' }, merchant)
  expect(await paySessions(at, 1, { address }, merchant)).toEqual(['rate_limited'])
})

test('a link takes no more attempts in the window than its limit, from any address', async () => {
  const at = await open({ limits: { payable_attempts: hour(4) } })
  const link = await at.link()
  const results: string[] = []
  for (let number = 0; number < 6; number++)
    results.push(await at.pay(link, { address: `203.0.113.${number}`, declined: true }))
  expect(results).toEqual([...Array(4).fill('do_not_honor'), 'rate_limited', 'rate_limited'])
  expect(at.asked.tokens).toBe(4)
  expect(await at.database.query('select blocked_until > now() as blocked from checkout.payment_links')).toEqual([
    { blocked: true },
  ])
  await passHour(at)
  await at.database.query(`update checkout.payment_links set blocked_until = now()`)
  expect(await at.pay(link)).toBe('approved')
})

test('a card is charged no more often than its limit, at any merchant and address', async () => {
  const at = await open({ limits: { card_attempts: hour(3) } })
  const results: string[] = []
  for (let number = 0; number < 5; number++)
    results.push(await at.pay(await at.session(), { address: `203.0.113.${number}`, card: 'one', declined: true }))
  expect(results).toEqual([...Array(3).fill('do_not_honor'), 'rate_limited', 'rate_limited'])
  expect(at.asked).toEqual({ tokens: 5, charges: 3 })
  expect(await at.pay(await at.session(), { card: 'two' })).toBe('approved')
  const statuses = await at.database.query(
    `select status, decline_reason from checkout.payment_attempts where decline_reason = 'rate_limited'`,
  )
  expect(statuses).toEqual(Array(2).fill({ status: 'failed', decline_reason: 'rate_limited' }))
})

test('without a fingerprint or an address, the rules about them are skipped', async () => {
  const at = await open({
    limits: { card_attempts: hour(1), address_attempts: hour(1), address_declines: hour(1) },
  })
  expect(await paySessions(at, 4, { declined: true })).toEqual(Array(4).fill('do_not_honor'))
  expect(await blocksOf(at)).toEqual([])
})

test('two rules that are exceeded block one after the other, and each is lifted on its own', async () => {
  const at = await open({ limits: { address_declines: hour(2), merchant_attempts: hour(3) } })
  const merchant = newId('mrc')
  const other = { address: '203.0.113.8', declined: true }
  await paySessions(at, 3, declined, merchant)
  await paySessions(at, 2, other, merchant)
  const blocks = await blocksOf(at)
  expect(blocks.map(({ rule }) => rule)).toEqual(['address_declines', 'merchant_attempts'])
  const operator = operatorCaller()
  await liftBlock(at.db, operator, blocks[1]?.id)
  expect(await paySessions(at, 1, { address }, merchant)).toEqual(['rate_limited'])
  expect(await paySessions(at, 1, { address: '203.0.113.9' }, merchant)).toEqual(['approved'])
  await liftBlock(at.db, operator, blocks[0]?.id)
  expect(await paySessions(at, 3, declined, merchant)).toEqual(['do_not_honor', 'do_not_honor', 'rate_limited'])
})

test('a lifted block of a link shows on its page, and lifting it again changes nothing and emits nothing', async () => {
  const at = await open({ limits: { payable_declines: hour(2) } })
  const link = await at.link()
  for (const result of ['do_not_honor', 'do_not_honor', 'rate_limited'])
    expect(await at.pay(link, { declined: true })).toBe(result)
  const [{ id }] = (await blocksOf(at)) as [{ id: `pbl_${string}` }]
  const lifted = await liftBlock(at.db, operatorCaller(), id)
  expect(lifted.lifted_at).not.toBeNull()
  expect(await liftBlock(at.db, operatorCaller(), id)).toMatchObject({ lifted_at: lifted.lifted_at })
  expect(await at.database.query('select blocked_until, decline_count from checkout.payment_links')).toEqual([
    { blocked_until: null, decline_count: 0 },
  ])
  const events = await at.database.query(`select count(*)::int from checkout.outbox where name = 'payment.unblocked'`)
  expect(events).toEqual([{ count: 1 }])
  await expect(liftBlock(at.db, operatorCaller([newId('mrc')]), id)).rejects.toMatchObject({ code: 'forbidden' })
  expect(await at.pay(link)).toBe('approved')
})

test('a restart keeps what was counted', async () => {
  const at = await open({ limits: { address_declines: hour(2) } })
  await paySessions(at, 2, declined)
  await at.restart()
  expect(await paySessions(at, 1, declined)).toEqual(['rate_limited'])
  await at.restart()
  expect(await paySessions(at, 1, declined)).toEqual(['rate_limited'])
})

test('forgets addresses and cards once no rule counts them, and blocks a month after their end', async () => {
  const at = await open({ limits: { address_declines: hour(1) } })
  await paySessions(at, 2, { ...declined, card: 'one' })
  const counted = () =>
    at.database.query(
      `select (select count(*)::int from checkout.payment_attempts where address_digest is not null or card_fingerprint is not null)
         as attempts, (select count(*)::int from checkout.payment_blocks) as blocks`,
    )
  await forgetCounted(at.db, at.limits)
  expect(await counted()).toEqual([{ attempts: 2, blocks: 1 }])
  await at.database.query(`update checkout.payment_attempts set created_at = created_at - interval '25 hours'`)
  await at.database.query(`update checkout.payment_blocks set ends_at = now() - interval '31 days'`)
  await forgetCounted(at.db, at.limits)
  expect(await counted()).toEqual([{ attempts: 0, blocks: 0 }])
})

test('messages and blocks contain neither the address nor the fingerprint', async () => {
  const at = await open({ limits: { address_declines: hour(1), card_attempts: hour(1) } })
  await paySessions(at, 2, { ...declined, card: 'one' })
  await at.pay(await at.session(), { card: 'one' })
  const [{ text }] = (await at.database.query(`select string_agg(outbox::text, ' ') as text from checkout.outbox`)) as [
    { text: string },
  ]
  expect(text).toContain('payment.blocked')
  for (const secret of [address, 'adr_', 'crd_', 'fp one']) expect(text).not.toContain(secret)
  const [{ stored }] = (await at.database.query(
    `select concat((select string_agg(b::text, ' ') from checkout.payment_blocks b),
       (select string_agg(a::text, ' ') from checkout.payment_attempts a)) as stored`,
  )) as [{ stored: string }]
  for (const secret of [address, 'fp one']) expect(stored).not.toContain(secret)
})
