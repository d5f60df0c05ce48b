import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { keyCaller } from '@cobro/http/test-identity'
import { waitFor } from '@cobro/testing'
import { eventOf } from './dispatcher-service.ts'
import { type QueueWorld, queueWorld } from './queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await queueWorld()
})
afterAll(() => world.stop())

/** The numbers of a merchant's events, by their ids. */
const sequencesOf = async (merchantId: string) => {
  const rows = await world.run<{ id: string; sequence: number | null }>(
    'select id, sequence::integer from webhooks.events where merchant_id = ? order by sequence',
    [merchantId],
  )
  return new Map(rows.map(({ id, sequence }) => [id, sequence]))
}
const newEvent = (merchant: { merchant_id: string }) => eventOf(merchant.merchant_id)
const insert = `insert into webhooks.events (id, merchant_id, event, body, trace, created_at) values (?, ?, ?, '{}', '{}', now())`

test('events are numbered for each merchant from 1, in the order of their ids within a batch', async () => {
  const [mine, theirs] = [keyCaller(), keyCaller()]
  const events = [newEvent(mine), newEvent(theirs), newEvent(mine)]
  await world.fanOut(...events.toReversed())
  const later = newEvent(mine)
  await world.fanOut(later)
  expect([...(await sequencesOf(mine.merchant_id))]).toEqual(
    [...[events[0]!.id, events[2]!.id].sort(), later.id].map((id, place) => [id, place + 1]),
  )
  expect([...(await sequencesOf(theirs.merchant_id))]).toEqual([[events[1]!.id, 1]])
})

test('an event that is received again takes no number, even after the inbox has forgotten it', async () => {
  const { merchant, id } = await world.endpoint(0)
  const event = newEvent(merchant)
  await world.fanOut(event)
  await world.fanOut(event)
  await world.run('delete from webhooks.inbox where message_id = ?', [event.id])
  expect(await world.fanOut(event)).toEqual([])
  const next = newEvent(merchant)
  await world.fanOut(next)
  expect([...(await sequencesOf(merchant.merchant_id)).values()]).toEqual([1, 2])
  expect(await world.statusesOf(id)).toHaveLength(2)
})

test('a batch that is rolled back gives its numbers back', async () => {
  const merchant = keyCaller()
  const doomed = world.db.write(async tx => {
    await tx.execute(insert, [newId('evt'), merchant.merchant_id, 'payment.approved'])
    throw new Error('rolled back')
  })
  await expect(doomed).rejects.toThrow('rolled back')
  await world.fanOut(newEvent(merchant))
  expect([...(await sequencesOf(merchant.merchant_id)).values()]).toEqual([1])
})

test('an event waits for its number until the one before is committed, so that none appears too early', async () => {
  const merchant = keyCaller()
  const first = newId('evt')
  const second = newEvent(merchant)
  let stored: Promise<unknown> | undefined
  await world.db.write(async tx => {
    await tx.execute(insert, [first, merchant.merchant_id, 'payment.approved'])
    stored = world.fanOut(second)
    await waitFor(async () => (await world.waiting()) > 0)
    expect(await sequencesOf(merchant.merchant_id)).toEqual(new Map())
  })
  await stored
  expect([...(await sequencesOf(merchant.merchant_id))]).toEqual([
    [first, 1],
    [second.id, 2],
  ])
})

test('batches of the same merchants in any order never deadlock', async () => {
  const merchants = Array.from({ length: 6 }, () => keyCaller())
  const batch = (round: number) => {
    const events = merchants.map(newEvent)
    return world.fanOut(...(round % 2 === 0 ? events : events.toReversed()))
  }
  await Promise.all(Array.from({ length: 40 }, (_, round) => batch(round)))
  for (const { merchant_id } of merchants) {
    const numbers = [...(await sequencesOf(merchant_id)).values()]
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, place) => place + 1))
  }
  expect(await deadlocks()).toBe(0)
})

test('an event that an older release stores is numbered, and the test of a webhook is not', async () => {
  const merchant = keyCaller()
  await world.run(insert, [newId('evt'), merchant.merchant_id, 'webhook.test'])
  await world.run(insert, [newId('evt'), merchant.merchant_id, 'payment.approved'])
  expect(new Set((await sequencesOf(merchant.merchant_id)).values())).toEqual(new Set([1, null]))
})

test('replicas of an older release, which store batches in any order, do not deadlock', async () => {
  const merchants = [keyCaller().merchant_id, keyCaller().merchant_id]
  const store = (order: string[]) =>
    world.db.writeSeparately(async tx => {
      for (const merchantId of order) {
        await tx.execute(insert, [newId('evt'), merchantId, 'payment.approved'])
        await pause(5)
      }
    })
  await Promise.all(Array.from({ length: 8 }, (_, round) => store(round % 2 ? merchants : merchants.toReversed())))
  for (const id of merchants) expect([...(await sequencesOf(id)).values()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(await deadlocks()).toBe(0)
})

async function deadlocks(): Promise<number> {
  const [row] = await world.run<{ deadlocks: number }>(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  )
  return row?.deadlocks ?? Number.NaN
}
