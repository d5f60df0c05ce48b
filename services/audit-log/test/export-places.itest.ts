import { auditOperations, type Message, newId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { listen, serviceApp, verifyIdentity } from '@cobro/http'
import { operatorCaller, testIdentity } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { exportRoutes } from '../src/export/export-routes.ts'
import { seqBeforeDay } from '../src/export/seq-before-day.ts'
import { type ExportRange, streamEvents } from '../src/export/stream-events.ts'
import { eventMessage } from './audit-log-world.ts'
import { type LogWorld, logWorld } from './log-world.ts'

const dayMs = 86_400_000
const mine = newId('mrc')
const count = 4_500
const logger = createLogger('audit-log', 'silent')
let world: LogWorld

beforeAll(async () => {
  world = await logWorld()
  const messages: Message[] = Array.from({ length: count }, (_, i) =>
    eventMessage({ merchant_id: i === 0 || i === count - 1 ? mine : null }),
  )
  await world.append(messages)
})
afterAll(() => world.close())

/** The same database, which tells how often it was asked, and waits with each answer but the first for `until`. */
function watched(until: Promise<void> = Promise.resolve()) {
  let reads = 0
  const read: Database['read'] = async work => {
    if (reads++ > 0) await until
    return world.log.db.read(work)
  }
  return { db: { ...world.log.db, read }, reads: () => reads }
}

async function placesOf(db: Database, range: ExportRange): Promise<number[]> {
  const places: number[] = []
  for await (const { seq } of streamEvents(db, range)) places.push(seq)
  return places
}
const upTo = (length: number) => Array.from({ length }, (_, i) => i + 1)

test('all are read in their order, no more than a few at a time', async () => {
  const { db, reads } = watched()
  expect(await placesOf(db, { afterSeq: 0, untilSeq: count })).toEqual(upTo(count))
  expect(reads()).toBe(3)
  expect(await placesOf(db, { afterSeq: 1_999, untilSeq: 2_001 })).toEqual([2_000, 2_001])
})

test('places without an event that is wanted are passed over in ever larger steps', async () => {
  const { db, reads } = watched()
  const where = [{ condition: 'merchant_id = any(?::text[])', values: [`{${mine}}`] }]
  expect(await placesOf(db, { afterSeq: 0, untilSeq: 50_000_000, where })).toEqual([1, count])
  expect(reads()).toBeLessThan(60)
})

test('a place that somebody gave a second event is exported with both, also where a statement ends with it', async () => {
  await world.sql(`insert into audit.events
    select (jsonb_populate_record(e, jsonb_build_object('id', '${newId('evt')}'))).* from audit.events e where seq = 2000`)
  const places = await placesOf(world.log.db, { afterSeq: 0, untilSeq: count })
  expect(places).toEqual([...upTo(2_000), ...upTo(count).slice(1_999)])
})

test('late days begin where the log ended before them', async () => {
  const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
  expect(await seqBeforeDay(world.log.db, day(4))).toBe(count)
  expect(await seqBeforeDay(world.log.db, day(1))).toBe(0)
})

test('the head of an export is sent before its first event is found', async () => {
  const found = Promise.withResolvers<void>()
  const identity = await testIdentity('audit-log')
  const app = serviceApp({
    routes: exportRoutes({ db: watched(found.promise).db, logger }),
    authenticate: verifyIdentity(identity.jwks, 'audit-log'),
    ready: async () => undefined,
    isUnavailable: () => false,
    logger,
  })
  const { port, close } = await listen(app, '127.0.0.1', 0)
  try {
    const headers = await identity.headers(operatorCaller('all', mine))
    const response = await fetch(`http://127.0.0.1:${port}${auditOperations.export.path}`, { headers })
    expect(response.status).toBe(200)
    found.resolve()
    expect((await response.text()).split('\n')).toHaveLength(3)
  } finally {
    found.resolve()
    await close()
  }
})
