import { sampleSession } from '../state/session-sample.ts'
import { followPayable } from './follow-payable.ts'
import type { ReadAnswer } from './hosted-api.ts'

/** A page that follows, with its streams and its clock in the test's hand. */
function follow({ supported = true } = {}) {
  const streams: { listeners: Record<string, (event: { data?: string }) => void>; closed: boolean }[] = []
  const timers = new Map<() => void, number>()
  const told: ReadAnswer[] = []
  let reads = 0
  const stop = followPayable(
    {
      api: {
        read: async () => {
          reads++
          return { kind: 'unavailable' }
        },
      },
      openStream: () => {
        if (!supported) throw new ReferenceError('EventSource')
        const stream = { listeners: {} as (typeof streams)[0]['listeners'], closed: false }
        streams.push(stream)
        return {
          addEventListener: (type, listener) => void Object.assign(stream.listeners, { [type]: listener }),
          close: () => (stream.closed = true),
        }
      },
      after: (ms, then) => {
        const timer = () => then()
        timers.set(timer, ms)
        return () => void timers.delete(timer)
      },
      random: () => 1,
    },
    answer => told.push(answer),
  )
  const last = () => streams.at(-1) as (typeof streams)[0]
  const say = (data: unknown) => last().listeners.payable?.({ data: JSON.stringify(data) })
  const breakOff = () => last().listeners.error?.({})
  /** Lets the timer of this length run out. */
  const pass = async (ms: number) => {
    const [timer] = [...timers].find(([, length]) => length === ms) ?? []
    if (!timer) throw new Error(`nothing waits for ${ms} ms, only for ${[...timers.values()].join()}`)
    timers.delete(timer)
    timer()
    await Promise.resolve()
    await Promise.resolve()
  }
  return {
    streams,
    told,
    say,
    breakOff,
    pass,
    stop,
    last,
    waits: () => [...timers.values()].sort(),
    reads: () => reads,
  }
}

test('tells what the stream tells, and asks nothing while it lives', () => {
  const page = follow()
  page.say(sampleSession())
  page.say(sampleSession({ status: 'expired' }))
  expect(page.told).toEqual([
    { kind: 'session', session: sampleSession() },
    { kind: 'session', session: sampleSession({ status: 'expired' }) },
  ])
  expect(page.waits()).toEqual([])
})

test('asks every 10 s while the stream is broken, and no more once it is back', async () => {
  const page = follow()
  page.say(sampleSession())
  page.breakOff()
  expect(page.last().closed).toBe(true)
  await page.pass(10_000)
  await page.pass(10_000)
  expect(page.reads()).toBe(2)
  await page.pass(1000)
  page.say(sampleSession())
  expect(page.waits()).toEqual([])
  expect(page.streams).toHaveLength(2)
})

test('asks also where a stream opens and says nothing', async () => {
  const page = follow()
  await page.pass(10_000)
  expect(page.told).toEqual([{ kind: 'unavailable' }])
})

test('opens the stream ever less often, at least every 30 s, and soon again once it has spoken', async () => {
  const page = follow()
  for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    page.breakOff()
    await page.pass(ms)
  }
  page.say(sampleSession())
  page.breakOff()
  await page.pass(1000)
  expect(page.streams).toHaveLength(9)
})

test('asks where the browser has no streams', async () => {
  const page = follow({ supported: false })
  await page.pass(10_000)
  expect(page.reads()).toBe(1)
})

test('drops a read that a message of the stream has overtaken', async () => {
  const page = follow()
  const passing = page.pass(10_000)
  page.say(sampleSession())
  await passing
  expect(page.told).toEqual([{ kind: 'session', session: sampleSession() }])
})

test.each(['', '{', 'null', '{}'])('does not take %j for a payable', data => {
  const page = follow()
  page.last().listeners.payable?.({ data })
  expect(page.told).toEqual([])
})

test('says and does nothing after it was stopped', () => {
  const page = follow()
  page.say(sampleSession())
  page.stop()
  page.say(sampleSession())
  page.breakOff()
  expect(page.told).toHaveLength(1)
  expect(page.last().closed).toBe(true)
  expect(page.waits()).toEqual([])
})
