import { setTimeout as sleep } from 'node:timers/promises'
import { auditOperations, type Message, newId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { listen, mountRoutes, serviceApp, verifyIdentity } from '@cobro/http'
import { operatorCaller, testIdentity } from '@cobro/http/test-identity'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { exportRoutes } from '../src/export/export-routes.ts'
import { seqBefore } from '../src/export/seq-before.ts'
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

/** Wraps the database: counts reads, and delays all but the first until `until` resolves. */
function countingDatabase(until: Promise<void> = Promise.resolve()) {
  let reads = 0
  const execute: Database['execute'] = async (sql, params) => {
    if (reads++ > 0) await until
    return world.log.db.execute(sql, params)
  }
  return { db: { ...world.log.db, execute }, reads: () => reads }
}

async function seqsOf(db: Database, range: ExportRange): Promise<number[]> {
  const seqs: number[] = []
  for await (const events of streamEvents(db, range)) seqs.push(...events.map(({ seq }) => seq))
  return seqs
}
const upTo = (length: number) => Array.from({ length }, (_, i) => i + 1)

test('events are streamed in order, in batches', async () => {
  const { db, reads } = countingDatabase()
  expect(await seqsOf(db, { afterSeq: 0, untilSeq: count })).toEqual(upTo(count))
  expect(reads()).toBe(3)
  expect(await seqsOf(db, { afterSeq: 1_999, untilSeq: 2_001 })).toEqual([2_000, 2_001])
})

test('streaming few matching events covers more sequence numbers with each query', async () => {
  const { db, reads } = countingDatabase()
  const where = [{ condition: 'merchant_id = any(?::text[])', values: [`{${mine}}`] }]
  expect(await seqsOf(db, { afterSeq: 0, untilSeq: 50_000_000, where })).toEqual([1, count])
  expect(reads()).toBeLessThan(60)
})

test('two events with the same sequence number are both streamed, even at the end of a batch', async () => {
  await world.sql(`insert into audit.events
    select (jsonb_populate_record(e, jsonb_build_object('id', '${newId('evt')}'))).* from audit.events e where seq = 2000`)
  const seqs = await seqsOf(world.log.db, { afterSeq: 0, untilSeq: count })
  expect(seqs).toEqual([...upTo(2_000), ...upTo(count).slice(1_999)])
})

test('the sequence number before a moment is the size of the log a while before it', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * dayMs)
  expect(await seqBefore(world.log.db, inDays(4))).toBe(count)
  expect(await seqBefore(world.log.db, inDays(1))).toBe(0)
})

/** Serves exports from this database, and begins one. */
async function exportFrom(db: Database) {
  const identity = await testIdentity('audit-log')
  const authenticate = verifyIdentity(identity.jwks, 'audit-log')
  const app = serviceApp({ ready: async () => undefined, isUnavailable: () => false, logger }, app =>
    mountRoutes(app, exportRoutes({ db, logger }), { authenticate }),
  )
  const { port, close } = await listen(app, '127.0.0.1', 0)
  const headers = await identity.headers(operatorCaller('all', mine))
  const response = await fetch(`http://127.0.0.1:${port}${auditOperations.export.path}`, { headers })
  return { response, close }
}

test('the headers of an export are sent before its first event is found', async () => {
  const found = Promise.withResolvers<void>()
  const { response, close } = await exportFrom(countingDatabase(found.promise).db)
  try {
    expect(response.status).toBe(200)
    found.resolve()
    expect((await response.text()).split('\n')).toHaveLength(3)
  } finally {
    found.resolve()
    await close()
  }
})

test('an export that finds nothing ends once its client has left', async () => {
  let reads = 0
  const execute = (async () => {
    if (reads++ === 0) return [{ size: 1_000_000_000 }]
    await sleep(10)
    return []
  }) as unknown as Database['execute']
  const { response, close } = await exportFrom({ ...world.log.db, execute })
  try {
    expect(response.status).toBe(200)
    await response.body?.cancel()
    await waitFor(async () => {
      const before = reads
      await sleep(100)
      return reads === before
    })
    // All of the log takes a thousand.
    expect(reads).toBeLessThan(500)
  } finally {
    await close()
  }
})
