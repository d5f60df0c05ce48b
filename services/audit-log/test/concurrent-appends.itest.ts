import type { Message } from '@cobro/contracts'
import { addLeaves } from '../src/tree/add-leaves.ts'
import { leafHash } from '../src/tree/merkle-tree.ts'
import { lockHead } from '../src/tree/tree-head.ts'
import { eventMessage } from './audit-log-world.ts'
import { type LogWorld, logWorld } from './log-world.ts'

let world: LogWorld

beforeAll(async () => {
  world = await logWorld()
})
afterAll(() => world.close())

const messages = (count: number) => Array.from({ length: count }, () => eventMessage())

test('ten concurrent writers of overlapping batches produce one log without gaps or forks', async () => {
  const all = messages(600)
  const overlapping = Array.from({ length: 10 }, (_, writer) =>
    all.filter((_message, i) => i % 10 === writer || i % 3 === 0),
  )
  for (let round = 0; round < 20; round++)
    await Promise.all(overlapping.map(own => world.append(own.slice(round * 10, round * 10 + 13))))
  await Promise.all(overlapping.map(own => world.append(own)))
  expect(await world.verify()).toMatchObject({ ok: true, size: 600, checked: 600 })
  const rows = await world.sql<{ id: string }>('select id from audit.events order by id')
  expect(rows.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort())
})

test('a batch that the database rejects leaves nothing in the log', async () => {
  const before = await world.verify()
  const ofNoMonth = eventMessage({ id: 'evt_00000000000000000000000000' })
  await expect(world.append([...messages(3), ofNoMonth])).rejects.toThrow(/no partition/)
  expect(await world.verify()).toEqual(before)
})

test('a batch whose events are all in the log adds no checkpoint', async () => {
  const batch = messages(3)
  await world.append(batch)
  const before = await world.sql('select size from audit.checkpoints order by size')
  await world.append(batch.toReversed())
  expect(await world.sql('select size from audit.checkpoints order by size')).toEqual(before)
})

test('leaves are not added to a head that has moved since it was read', async () => {
  const before = await world.verify()
  const leaves = [1, 2, 3].map(number => leafHash(Buffer.from(String(number))))
  const adding = world.log.db.write(async tx => {
    const head = await lockHead(tx)
    await addLeaves(tx, world.log.key, head, leaves.slice(0, 1))
    await addLeaves(tx, world.log.key, head, leaves)
  })
  await expect(adding).rejects.toThrow('without its lock')
  expect(await world.verify()).toEqual(before)
})

test('an event with unusual text and numbers verifies', async () => {
  const texts = [
    '',
    '"',
    '\\',
    '\\u0000',
    '\u2028\u2029',
    'é\u0301',
    '👩‍👩‍👧',
    '\ud800',
    '\0',
    '4111 1111 1111 1111',
    '\u007f\u0080',
    '{}',
    '?',
    '$1 $& $$',
    ':name ??',
  ]
  const numbers = [0, -0, 1, 9_007_199_254_740_991, -9_007_199_254_740_991, 1.5, 0.1 + 0.2, 1e21, 5e-324, 1e-7]
  const unusual: Message[] = [...texts, ...numbers, true, false].map(value =>
    eventMessage({
      data: { amount_cents: value, currency: value, status: value, name: value, card: { brand: value } },
    }),
  )
  const nested = { '': [[]], z: { y: { x: [{}, null, -0.5] } }, __proto__: 1, '10': 1, '9': 2, é: '\ud800' }
  const call = {
    method: 'GET',
    path: '/\ud800',
    status_code: 200,
    ip: null,
    user_agent: '\0é',
    duration_ms: 0,
    trace_id: null,
  }
  unusual.push(eventMessage({ name: 'http.request', data: { ...call, metadata: nested } }))
  const { size } = await world.verify()
  await world.append(unusual)
  expect(await world.verify()).toMatchObject({ ok: true, size: size + unusual.length })
})
