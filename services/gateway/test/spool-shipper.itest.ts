import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '@cobro/contracts'
import { waitFor } from '@cobro/testing'
import { callBegin, callEnd } from './spool-calls.ts'
import { fakeBroker } from './spool-fakes.ts'
import {
  call,
  close,
  open,
  read,
  recordingLogger,
  segments,
  spoolsOfEachTest,
  temporaryDirectory,
} from './spool-world.ts'

spoolsOfEachTest()

test('publishes each call once, with its begin and its end combined', async () => {
  const { spool, broker } = await open()
  const begin = callBegin({ method: 'GET' })
  spool.begin(begin, { required: false })
  await spool.end(begin.request_id, callEnd({ status_code: 404 }), { durable: false })
  await spool.end(begin.request_id, callEnd({ status_code: 200 }), { durable: false })
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(broker.shipped).toEqual([{ ...begin, ...callEnd({ status_code: 404 }) }])
})

test('publishes many calls in one message, limits the number of unconfirmed messages, and keeps the order', async () => {
  const broker = Object.assign(fakeBroker(), { turnsToConfirm: 20 })
  const { spool } = await open({ broker, limits: { inFlight: 2 } })
  const ids = await Promise.all(Array.from({ length: 500 }, () => call(spool)))
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(broker.ids()).toEqual(ids)
  expect(broker.mostInFlight).toBe(2)
  expect(broker.messages).toBeLessThanOrEqual(12)
})

test('deletes segments of confirmed calls, and keeps those that an open call needs', async () => {
  const { spool, dir } = await open({ limits: { segmentBytes: 2000 } })
  const slow = callBegin()
  spool.begin(slow, { required: true })
  for (let i = 0; i < 50; i++) await call(spool)
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(segments(dir).length).toBeGreaterThan(10)

  await spool.end(slow.request_id, callEnd(), { durable: true })
  await waitFor(() => segments(dir).length === 1)
  expect(spool.stats()).toMatchObject({ backlog_records: 0, backlog_bytes: 0, oldest_ms: 0 })
})

test('publishes what is waiting when the spool closes, and leaves no files', async () => {
  const { spool, dir, broker } = await open()
  const ids = await Promise.all(Array.from({ length: 300 }, () => call(spool, read)))
  await close(spool, 60_000)
  expect(broker.ids()).toEqual(ids)
  expect(segments(dir)).toEqual([])
})

test('creates spool files that other users cannot read', async () => {
  const dir = join(temporaryDirectory(), 'spool')
  const { spool } = await open({ dir })
  await call(spool)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(statSync(join(dir, segments(dir)[0]!)).mode & 0o777).toBe(0o600)
})

test('rejects a directory that another spool uses, until that is closed', async () => {
  const { spool, dir } = await open()
  await expect(open({ dir })).rejects.toThrow(`the spool directory ${dir} is in use by another process`)
  await close(spool)
  await expect(open({ dir })).resolves.toBeDefined()
})

test('keeps calls over a restart while the broker is down, and publishes them once it is back', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { spool, dir } = await open({ broker, limits: { segmentBytes: 20_000 } })
  const ids = await Promise.all(Array.from({ length: 500 }, () => call(spool, read)))
  await waitFor(() => spool.stats().oldest_ms > 20)
  expect(spool.stats()).toMatchObject({ backlog_records: 500, rejected: 0, unrecorded: 0 })
  await close(spool)

  const { spool: next } = await open({ dir, broker, limits: { segmentBytes: 20_000 } })
  expect(next.stats().backlog_records).toBe(500)
  ids.push(await call(next))
  broker.away = false
  await waitFor(() => next.stats().backlog_records === 0)
  expect(broker.ids().toSorted()).toEqual(ids.toSorted())
  await waitFor(() => segments(dir).length === 1)
})

test('at the limit of the backlog rejects required calls, serves others, and loses no event that fits in memory', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { spool } = await open({ broker, limits: { segmentBytes: 5000, backlogBytes: 10_000, memoryCalls: 2 } })
  while (spool.stats().backlog_bytes < 10_000) await call(spool)
  const taken = spool.stats().backlog_records

  const rejected = callBegin()
  expect(() => spool.begin(rejected, { required: true })).toThrow(ApiError)
  await spool.end(rejected.request_id, callEnd({ status_code: 503 }), { durable: false })
  await call(spool, read)
  await call(spool, read)
  expect(spool.stats()).toMatchObject({ backlog_records: taken + 2, rejected: 1, unrecorded: 3, lost: 1 })

  broker.away = false
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(broker.shipped).toHaveLength(taken + 2)
  expect(broker.shipped.find(({ request_id }) => request_id === rejected.request_id)?.status_code).toBe(503)
  await call(spool)
})

/** Records a call, and moves the segment away before it is read. Returns how to move it back. */
async function hideSegment() {
  const { logger, texts } = recordingLogger()
  const { spool, dir, broker } = await open({ logger })
  const id = await call(spool, read)
  const path = join(dir, segments(dir)[0]!)
  renameSync(path, `${path}.hidden`)
  await waitFor(() => texts.includes('the spool cannot be read'))
  return { spool, dir, broker, id, show: () => renameSync(`${path}.hidden`, path) }
}

test('publishes a call once its segment, which could not be read, can be read again', async () => {
  const { spool, broker, id, show } = await hideSegment()
  expect([spool.stats().backlog_records, broker.ids()]).toEqual([1, []])
  show()
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(broker.ids()).toEqual([id])
})

test('closes while a segment cannot be read, and the next process publishes its calls', async () => {
  const { spool, dir, id, show } = await hideSegment()
  await close(spool)
  show()
  const { spool: next, broker: later } = await open({ dir })
  await waitFor(() => next.stats().backlog_records === 0)
  expect(later.ids()).toEqual([id])
})

test('a closed spool rejects required calls and creates no files', async () => {
  const { spool, dir } = await open()
  await close(spool)
  expect(() => spool.begin(callBegin(), { required: true })).toThrow('unavailable')
  expect(segments(dir)).toEqual([])
})
