import { mock } from 'node:test'
import { waitFor } from '@cobro/testing'
import { callBegin, callEnd } from './spool-calls.ts'
import { fakeBroker, faultyDisk } from './spool-fakes.ts'
import { call, close, open, read, segments, spoolsOfEachTest } from './spool-world.ts'

spoolsOfEachTest()

afterEach(() => mock.timers.reset())

test('a spool on a full disk rejects required calls and durable ends, keeps others in memory, and recovers', async () => {
  const disk = faultyDisk()
  const { spool, dir, broker } = await open({ disk })
  const inFlight = callBegin()
  spool.begin(inFlight, { required: true })
  const before = await call(spool)
  disk.full = true

  expect(() => spool.begin(callBegin(), { required: true })).toThrow('unavailable: the call cannot be recorded')
  await expect(spool.end(inFlight.request_id, callEnd(), { durable: true })).rejects.toMatchObject({
    code: 'unavailable',
  })
  await spool.end(inFlight.request_id, callEnd({ status_code: 503 }), { durable: false })
  const unrecorded = await call(spool, read)
  await waitFor(() => broker.shipped.length === 3)
  expect(spool.stats()).toMatchObject({ rejected: 2, unrecorded: 2, lost: 0 })

  disk.full = false
  const after = await call(spool)
  await waitFor(() => spool.stats().backlog_records === 0)
  expect(new Set(broker.ids())).toEqual(new Set([before, inFlight.request_id, unrecorded, after]))
  expect(broker.shipped.find(({ request_id }) => request_id === inFlight.request_id)?.status_code).toBe(503)
  expect(segments(dir)).toHaveLength(1)
})

test('a spool starts on a full disk and publishes what is waiting', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { spool, dir } = await open({ broker })
  const id = await call(spool)
  await close(spool)
  broker.away = false
  const disk = faultyDisk()
  disk.create = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const { spool: next } = await open({ dir, broker, disk })
  await waitFor(() => next.stats().backlog_records === 0)
  expect(broker.ids()).toEqual([id])
  expect(() => next.begin(callBegin(), { required: true })).toThrow('unavailable')
})

test('writes end records to another file after one failed sync', async () => {
  const disk = faultyDisk()
  const { spool, dir, broker } = await open({ disk })
  const inFlight = callBegin()
  spool.begin(inFlight, { required: true })
  disk.failingSyncs = 1
  const ids = await Promise.all([call(spool), call(spool)])
  await waitFor(() => new Set(broker.ids()).size === 2)
  expect(new Set(broker.ids())).toEqual(new Set(ids))
  expect(spool.stats().rejected).toBe(0)

  await waitFor(() => segments(dir).join() === '000000000002.spool')
  await close(spool)
  const { broker: later } = await open({ dir })
  await waitFor(() => later.shipped.length > 0)
  expect(later.shipped[0]).toMatchObject({ request_id: inFlight.request_id, outcome: 'gateway_crashed' })
})

test('rejects a call whose sync fails twice, and required calls for a second', async () => {
  const disk = faultyDisk()
  const { spool } = await open({ disk })
  const failedAt = Date.now()
  mock.timers.enable({ apis: ['Date'], now: failedAt })
  disk.failingSyncs = 2
  await expect(call(spool)).rejects.toMatchObject({ code: 'unavailable' })
  mock.timers.setTime(failedAt + 999)
  expect(() => spool.begin(callBegin(), { required: true })).toThrow('unavailable')
  expect(disk.syncs).toBe(2)
  await call(spool, read)

  mock.timers.setTime(failedAt + 1_000)
  await call(spool)
})

test('syncs once for many durable end records', async () => {
  const disk = faultyDisk()
  const { spool } = await open({ disk })
  await Promise.all(Array.from({ length: 200 }, () => call(spool)))
  expect(disk.syncs).toBeLessThan(5)
})

test('records an open call at its end, although the disk lost its begin record and took no other', async () => {
  const disk = faultyDisk()
  const { spool, broker } = await open({ disk })
  const inFlight = callBegin()
  spool.begin(inFlight, { required: true })
  const { sync } = disk
  disk.failingSyncs = 1
  disk.sync = async fd => {
    disk.full = true
    await sync(fd)
  }
  await expect(call(spool)).rejects.toMatchObject({ code: 'unavailable' })
  disk.full = false
  disk.sync = sync
  await spool.end(inFlight.request_id, callEnd(), { durable: true })
  await waitFor(() => broker.ids().includes(inFlight.request_id))
})
