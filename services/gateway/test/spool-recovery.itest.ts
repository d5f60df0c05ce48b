import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Id } from '@cobro/contracts'
import { createLogger } from '@cobro/runtime'
import { waitFor } from '@cobro/testing'
import { openAckedPositionFile } from '../src/spool/acked-position.ts'
import { recoverSpool } from '../src/spool/spool-recovery.ts'
import { callBegin } from './spool-calls.ts'
import { fakeBroker, powerLossDisk } from './spool-fakes.ts'
import { call, close, open, recordingLogger, segments, spoolsOfEachTest, temporaryDirectory } from './spool-world.ts'

spoolsOfEachTest()

test('publishes ended calls and ends interrupted ones, wherever the file was cut off', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { spool, dir } = await open({ broker })
  const cutOff = callBegin({ path: '/api/transactions' })
  spool.begin(cutOff, { required: true })
  const first = await call(spool)
  const sound = readFileSync(join(dir, segments(dir)[0]!)).length
  const last = await call(spool)
  const whole = readFileSync(join(dir, segments(dir)[0]!))
  const lastBegin = whole.lastIndexOf('{"end"') - 8
  await close(spool)

  for (let cut = sound; cut <= whole.length; cut += cut < lastBegin - 3 ? 40 : 1) {
    const damaged = temporaryDirectory()
    writeFileSync(join(damaged, '000000000001.spool'), whole.subarray(0, cut))
    const { spool: next, broker: later } = await open({ dir: damaged })
    await close(next, 60_000)
    const statuses = new Map(later.shipped.map(({ request_id, status_code }) => [request_id, status_code]))
    expect(statuses.get(cutOff.request_id)).toBe(500)
    expect(statuses.get(first)).toBe(201)
    expect(statuses.get(last)).toBe(cut === whole.length ? 201 : cut >= lastBegin ? 500 : undefined)
    expect(later.shipped).toHaveLength(statuses.size)
    expect(segments(damaged)).toEqual([])
  }
})

test('keeps every durable end record after a power failure, in every file', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { disk, durableFiles } = powerLossDisk()
  const { spool } = await open({ broker, disk, limits: { segmentBytes: 3000 } })
  const answered: Id<'req'>[] = []
  const client = async () => {
    for (let i = 0; i < 20; i++) answered.push(await call(spool))
  }
  const clients = Array.from({ length: 10 }, client)
  for (let failure = 0; failure < 5; failure++) {
    await waitFor(() => answered.length >= (failure + 1) * 30, { intervalMs: 1 })
    const left = temporaryDirectory()
    for (const { path, synced } of durableFiles())
      writeFileSync(join(left, basename(path)), readFileSync(path).subarray(0, synced))
    const expected = [...answered]
    const { broker: later, spool: next } = await open({ dir: left })
    await waitFor(() => next.stats().backlog_records === 0)
    const ended = later.shipped.filter(({ status_code }) => status_code === 201).map(({ request_id }) => request_id)
    expect(expected.filter(id => !ended.includes(id))).toEqual([])
  }
  await Promise.all(clients)
})

test('logs an interrupted call when it ends it', async () => {
  const { spool, dir } = await open({ broker: Object.assign(fakeBroker(), { away: true }) })
  const cutOff = callBegin()
  spool.begin(cutOff, { required: true })
  await call(spool)
  await close(spool)
  const lines: Record<string, unknown>[] = []
  await recoverSpool(dir, createLogger('gateway', 'info', { write: line => void lines.push(JSON.parse(line)) }))
  expect(lines.filter(({ msg }) => msg === 'call')).toMatchObject([
    { request_id: cutOff.request_id, status_code: 500, outcome: 'gateway_crashed', actor: { type: 'system' } },
  ])
})

test('publishes the same event of an interrupted call until the broker confirms it', async () => {
  const broker = Object.assign(fakeBroker(), { away: true })
  const { spool, dir } = await open({ broker })
  const cutOff = callBegin()
  spool.begin(cutOff, { required: true })
  await close(spool)
  for (let restart = 0; restart < 3; restart++) {
    const { spool: next } = await open({ dir, broker })
    expect(next.stats().backlog_records).toBe(1)
    await close(next)
  }
  broker.away = false
  const { spool: last } = await open({ dir, broker })
  await waitFor(() => last.stats().backlog_records === 0)
  expect(broker.shipped).toEqual([expect.objectContaining({ ...cutOff, status_code: 500, outcome: 'gateway_crashed' })])
  await close(last)
  const { spool: quiet } = await open({ dir })
  expect(quiet.stats()).toMatchObject({ backlog_records: 0, backlog_bytes: 0 })
})

test('publishes every interrupted call, many in a message', async () => {
  const { spool, dir } = await open({ broker: Object.assign(fakeBroker(), { away: true }) })
  const cutOff = Array.from({ length: 250 }, () => callBegin())
  for (const begin of cutOff) spool.begin(begin, { required: true })
  await close(spool)
  const { spool: next, broker } = await open({ dir })
  await waitFor(() => next.stats().backlog_records === 0)
  expect(broker.ids()).toEqual(cutOff.map(({ request_id }) => request_id))
  expect(broker.messages).toBe(3)
})

test('does not publish calls again that it stored as acknowledged', async () => {
  const { spool, dir, broker } = await open()
  await call(spool)
  const inFlight = callBegin()
  spool.begin(inFlight, { required: true })
  await waitFor(() => broker.shipped.length === 1)
  await waitFor(() => readdirSync(dir).includes('acked.json'))
  await close(spool)
  const { broker: later, spool: next } = await open({ dir })
  await waitFor(() => next.stats().backlog_records === 0)
  expect(later.ids()).toEqual([inFlight.request_id])
})

test.each(['', '{"segment":1}', '{"segment":"1","offset":0}'])(
  'publishes everything again if the acknowledged position is %p',
  async position => {
    const { spool, dir } = await open({ broker: Object.assign(fakeBroker(), { away: true }) })
    const id = await call(spool)
    await close(spool)
    writeFileSync(join(dir, 'acked.json'), position)
    const { spool: next, broker: later } = await open({ dir })
    await waitFor(() => next.stats().backlog_records === 0)
    expect(later.ids()).toEqual([id])
  },
)

test('deletes segments before the acknowledged position that an earlier process could not delete', async () => {
  const { spool, dir } = await open({ broker: Object.assign(fakeBroker(), { away: true }) })
  await call(spool)
  await close(spool)
  writeFileSync(join(dir, 'acked.json'), '{"segment":2,"offset":0}')
  const { spool: next, broker: later } = await open({ dir })
  expect(segments(dir)).toEqual([])
  const id = await call(next)
  await waitFor(() => next.stats().backlog_records === 0)
  expect(later.ids()).toEqual([id])
})

test('logs that the acknowledged position cannot be stored, and goes on', () => {
  const { logger, texts } = recordingLogger()
  const dir = temporaryDirectory()
  const acked = openAckedPositionFile(dir, logger)
  acked.store({ segment: 1, offset: 0 })
  rmSync(dir, { recursive: true })
  acked.close()
  expect(texts).toEqual(['the acknowledged position of the spool could not be stored'])
})

test('a spool that cannot be read does not open, and leaves its directory to the next attempt', async () => {
  const dir = temporaryDirectory()
  const unreadable = join(dir, '000000000001.spool')
  mkdirSync(unreadable)
  await expect(open({ dir })).rejects.toThrow('EISDIR')
  rmdirSync(unreadable)
  await call((await open({ dir })).spool)
})

test('publishes the calls after damage that is larger than what is read at once', async () => {
  const { spool, dir } = await open({ broker: Object.assign(fakeBroker(), { away: true }) })
  const id = await call(spool)
  await close(spool)
  const path = join(dir, segments(dir)[0]!)
  writeFileSync(path, Buffer.concat([Buffer.alloc(1024 * 1024), readFileSync(path)]))
  const { spool: next, broker: later } = await open({ dir })
  await waitFor(() => next.stats().backlog_records === 0)
  expect(later.ids()).toEqual([id])
})
