import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ApiError, type Id } from '@cobro/contracts'
import { openSpool, type Spool, type SpoolLimits } from '../src/spool/open-spool.ts'
import { nodeDisk, type SpoolDisk } from '../src/spool/spool-disk.ts'
import { callBegin, callEnd } from './spool-calls.ts'
import { fakeBroker, fickleDisk, forgetfulDisk, silent, temporaryDirectory, until } from './spool-world.ts'

type World = { dir?: string; broker?: ReturnType<typeof fakeBroker>; disk?: SpoolDisk; limits?: Partial<SpoolLimits> }

const opened: Spool[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(spool => spool.close({ timeoutMs: 0 })))
})

async function open({ dir = temporaryDirectory(), broker = fakeBroker(), disk = nodeDisk, limits = {} }: World = {}) {
  const spool = await openSpool({ dir, publish: broker.publish, logger: silent, disk, limits })
  opened.push(spool)
  return { spool, dir, broker }
}

/** Closes without a chance to ship anything, as a crash would. */
const abandon = async (spool: Spool) => {
  opened.splice(opened.indexOf(spool), 1)
  await spool.close({ timeoutMs: 0 })
}

async function call(spool: Spool, options = { durable: true, required: true }): Promise<Id<'req'>> {
  const begin = callBegin()
  spool.begin(begin, options)
  await spool.end(begin.request_id, callEnd(), options)
  return begin.request_id
}

function takesRequired(spool: Spool): boolean {
  const begin = callBegin()
  try {
    spool.begin(begin, { required: true })
    return true
  } catch {
    return false
  } finally {
    void spool.end(begin.request_id, callEnd(), { durable: false })
  }
}

const read = { durable: false, required: false }
const segments = (dir: string) => readdirSync(dir).filter(name => name.endsWith('.spool'))
const idsOf = (broker: ReturnType<typeof fakeBroker>) => broker.shipped.map(({ request_id }) => request_id)

describe('with broker and disk well', () => {
  test('ships each call once, joined from its begin and its end', async () => {
    const { spool, broker } = await open()
    const begin = callBegin({ method: 'GET' })
    spool.begin(begin, { required: false })
    await spool.end(begin.request_id, callEnd({ status_code: 404 }), { durable: false })
    await spool.end(begin.request_id, callEnd({ status_code: 200 }), { durable: false })
    await until(() => spool.stats().backlog_records === 0)
    expect(broker.shipped).toEqual([{ ...begin, ...callEnd({ status_code: 404 }) }])
  })

  test('has no more events unconfirmed than the limit says, and ships them in order', async () => {
    const { spool, broker } = await open({ limits: { inFlight: 8 } })
    const ids = await Promise.all(Array.from({ length: 100 }, () => call(spool)))
    await until(() => spool.stats().backlog_records === 0)
    expect(idsOf(broker)).toEqual(ids)
    expect(broker.mostInFlight).toBe(8)
  })

  test('deletes segments behind the confirmed calls, but none that an open call needs', async () => {
    const { spool, dir } = await open({ limits: { segmentBytes: 2000 } })
    const slow = callBegin()
    spool.begin(slow, { required: true })
    for (let i = 0; i < 50; i++) await call(spool)
    await until(() => spool.stats().backlog_records === 0)
    expect(segments(dir).length).toBeGreaterThan(10)

    await spool.end(slow.request_id, callEnd(), { durable: true })
    await until(() => segments(dir).length === 1)
    expect(spool.stats()).toMatchObject({ backlog_records: 0, backlog_bytes: 0, oldest_ms: 0 })
  })

  test('ships what waits when it is closed, and leaves nothing behind', async () => {
    const { spool, dir, broker } = await open()
    const ids = await Promise.all(Array.from({ length: 300 }, () => call(spool, read)))
    opened.pop()
    await spool.close({ timeoutMs: 5000 })
    expect(idsOf(broker)).toEqual(ids)
    expect(segments(dir)).toEqual([])
  })

  test('keeps its files from other users', async () => {
    const dir = join(temporaryDirectory(), 'spool')
    const { spool } = await open({ dir })
    await call(spool)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, segments(dir)[0]!)).mode & 0o777).toBe(0o600)
  })

  test('refuses a directory that another spool has, until that is closed', async () => {
    const { spool, dir } = await open()
    await expect(open({ dir })).rejects.toThrow(`the spool directory ${dir} is in use by another process`)
    await abandon(spool)
    await expect(open({ dir })).resolves.toBeDefined()
  })
})

describe('while the broker is away', () => {
  test('takes calls, keeps them over a restart, and ships them all by itself when the broker is back', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { spool, dir } = await open({ broker, limits: { segmentBytes: 20_000 } })
    const ids = await Promise.all(Array.from({ length: 500 }, () => call(spool, read)))
    await until(() => spool.stats().oldest_ms > 20)
    expect(spool.stats()).toMatchObject({ backlog_records: 500, refused: 0, unspooled: 0 })
    await abandon(spool)

    const { spool: next } = await open({ dir, broker, limits: { segmentBytes: 20_000 } })
    expect(next.stats().backlog_records).toBe(500)
    ids.push(await call(next))
    broker.away = false
    await until(() => next.stats().backlog_records === 0)
    expect(idsOf(broker).toSorted()).toEqual(ids.toSorted())
    await until(() => segments(dir).length === 1)
  })

  test('refuses required calls at the limit of the backlog, lets the others go on, and loses no event that memory can hold', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { spool } = await open({ broker, limits: { segmentBytes: 5000, backlogBytes: 10_000, carriedCalls: 2 } })
    while (spool.stats().backlog_bytes < 10_000) await call(spool)
    const taken = spool.stats().backlog_records

    const refused = callBegin()
    expect(() => spool.begin(refused, { required: true })).toThrow(ApiError)
    await spool.end(refused.request_id, callEnd({ status_code: 503 }), { durable: false })
    await call(spool, read)
    await call(spool, read)
    expect(spool.stats()).toMatchObject({ backlog_records: taken + 2, refused: 1, unspooled: 3, lost: 1 })

    broker.away = false
    await until(() => spool.stats().backlog_records === 0)
    expect(broker.shipped).toHaveLength(taken + 2)
    expect(broker.shipped.find(({ request_id }) => request_id === refused.request_id)?.status_code).toBe(503)
    await call(spool)
  })
})

describe('with a disk that is full or failing', () => {
  test('refuses required calls and durable ends, carries the others in memory, and recovers when there is space', async () => {
    const disk = fickleDisk()
    const { spool, dir, broker } = await open({ disk })
    const inHand = callBegin()
    spool.begin(inHand, { required: true })
    const before = await call(spool)
    disk.full = true

    expect(() => spool.begin(callBegin(), { required: true })).toThrow('unavailable: the call cannot be put on record')
    await expect(spool.end(inHand.request_id, callEnd(), { durable: true })).rejects.toMatchObject({
      code: 'unavailable',
    })
    await spool.end(inHand.request_id, callEnd({ status_code: 503 }), { durable: false })
    const unspooled = await call(spool, read)
    await until(() => broker.shipped.length === 3)
    expect(spool.stats()).toMatchObject({ refused: 2, unspooled: 2, lost: 0 })

    disk.full = false
    const after = await call(spool)
    await until(() => spool.stats().backlog_records === 0)
    expect(new Set(idsOf(broker))).toEqual(new Set([before, inHand.request_id, unspooled, after]))
    expect(broker.shipped.find(({ request_id }) => request_id === inHand.request_id)?.status_code).toBe(503)
    expect(segments(dir)).toHaveLength(1)
  })

  test('starts on a full disk and ships what waits there', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { spool, dir } = await open({ broker })
    const id = await call(spool)
    await abandon(spool)
    broker.away = false
    const disk = fickleDisk()
    disk.create = () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    const { spool: next } = await open({ dir, broker, disk })
    await until(() => next.stats().backlog_records === 0)
    expect(idsOf(broker)).toEqual([id])
    expect(() => next.begin(callBegin(), { required: true })).toThrow('unavailable')
  })

  test('writes ends anew into another file when one sync fails', async () => {
    const disk = fickleDisk()
    const { spool, dir, broker } = await open({ disk })
    const inHand = callBegin()
    spool.begin(inHand, { required: true })
    disk.failingSyncs = 1
    const ids = await Promise.all([call(spool), call(spool)])
    await until(() => new Set(idsOf(broker)).size === 2)
    expect(new Set(idsOf(broker))).toEqual(new Set(ids))
    expect(spool.stats().refused).toBe(0)

    await until(() => segments(dir).join() === '000000000002.spool')
    await abandon(spool)
    const { broker: later } = await open({ dir })
    await until(() => later.shipped.length > 0)
    expect(later.shipped[0]).toMatchObject({ request_id: inHand.request_id, outcome: 'gateway_crashed' })
  })

  test('refuses what the disk fails to sync twice, and for a second all that is required', async () => {
    const disk = fickleDisk()
    const { spool } = await open({ disk })
    disk.failingSyncs = 2
    await expect(call(spool)).rejects.toMatchObject({ code: 'unavailable' })
    expect(() => spool.begin(callBegin(), { required: true })).toThrow('unavailable')
    expect(disk.syncs).toBe(2)
    await call(spool, read)

    await until(() => takesRequired(spool))
    await call(spool)
  })

  test('syncs once for many durable ends', async () => {
    const disk = fickleDisk()
    const { spool } = await open({ disk })
    await Promise.all(Array.from({ length: 200 }, () => call(spool)))
    expect(disk.syncs).toBeLessThan(5)
  })
})

describe('after a crash', () => {
  test('ships ended calls and ends those that were cut off, whatever byte the file was cut at', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { spool, dir } = await open({ broker })
    const cutOff = callBegin({ path: '/api/transactions' })
    spool.begin(cutOff, { required: true })
    const first = await call(spool)
    const sound = readFileSync(join(dir, segments(dir)[0]!)).length
    const last = await call(spool)
    const whole = readFileSync(join(dir, segments(dir)[0]!))
    const lastBegin = whole.lastIndexOf('{"end"') - 8
    await abandon(spool)

    for (let cut = sound; cut <= whole.length; cut += cut < lastBegin - 3 ? 40 : 1) {
      const damaged = temporaryDirectory()
      writeFileSync(join(damaged, '000000000001.spool'), whole.subarray(0, cut))
      const { spool: next, broker: later } = await open({ dir: damaged })
      opened.pop()
      await next.close({ timeoutMs: 5000 })
      const statuses = new Map(later.shipped.map(({ request_id, status_code }) => [request_id, status_code]))
      expect(statuses.get(cutOff.request_id)).toBe(500)
      expect(statuses.get(first)).toBe(201)
      expect(statuses.get(last)).toBe(cut === whole.length ? 201 : cut >= lastBegin ? 500 : undefined)
      expect(later.shipped).toHaveLength(statuses.size)
      expect(segments(damaged)).toEqual([])
    }
  })

  test('has every durable end after a power failure, whatever file it went into', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { disk, durableFiles } = forgetfulDisk()
    const { spool } = await open({ broker, disk, limits: { segmentBytes: 3000 } })
    const answered: Id<'req'>[] = []
    const client = async () => {
      for (let i = 0; i < 20; i++) answered.push(await call(spool))
    }
    const clients = Array.from({ length: 10 }, client)
    for (let failure = 0; failure < 5; failure++) {
      await until(() => answered.length >= (failure + 1) * 30)
      const left = temporaryDirectory()
      for (const { path, synced } of durableFiles())
        writeFileSync(join(left, basename(path)), readFileSync(path).subarray(0, synced))
      const expected = [...answered]
      const { broker: later, spool: next } = await open({ dir: left })
      await until(() => next.stats().backlog_records === 0)
      const ended = later.shipped.filter(({ status_code }) => status_code === 201).map(({ request_id }) => request_id)
      expect(expected.filter(id => !ended.includes(id))).toEqual([])
    }
    await Promise.all(clients)
  })

  test('tells of a cut-off call alike as often as it takes until the broker confirms', async () => {
    const broker = Object.assign(fakeBroker(), { away: true })
    const { spool, dir } = await open({ broker })
    const cutOff = callBegin()
    spool.begin(cutOff, { required: true })
    await abandon(spool)
    for (let restart = 0; restart < 3; restart++) {
      const { spool: next } = await open({ dir, broker })
      expect(next.stats().backlog_records).toBe(1)
      await abandon(next)
    }
    broker.away = false
    const { spool: last } = await open({ dir, broker })
    await until(() => last.stats().backlog_records === 0)
    expect(broker.shipped).toEqual([
      expect.objectContaining({ ...cutOff, status_code: 500, outcome: 'gateway_crashed' }),
    ])
    await abandon(last)
    const { spool: quiet } = await open({ dir })
    expect(quiet.stats()).toMatchObject({ backlog_records: 0, backlog_bytes: 0 })
  })

  test('does not ship again what it noted as confirmed', async () => {
    const { spool, dir, broker } = await open()
    await call(spool)
    const inHand = callBegin()
    spool.begin(inHand, { required: true })
    await until(() => broker.shipped.length === 1)
    await until(() => readdirSync(dir).includes('acked.json'))
    await abandon(spool)
    const { broker: later } = await open({ dir })
    await until(() => later.shipped.length === 1)
    expect(idsOf(later)).toEqual([inHand.request_id])
  })
})
