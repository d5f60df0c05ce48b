import { sampleSession } from '../state/session-sample.ts'
import { followPayable } from './follow-payable.ts'
import type { ReadAnswer } from './hosted-api.ts'

/** A page that follows a payable, with streams and a clock that the test controls. */
function follow({ supported = true } = {}) {
  const streams: { listeners: Record<string, (event: { data?: string }) => void>; closed: boolean }[] = []
  const timers = new Map<() => void, number>()
  const answers: ReadAnswer[] = []
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
    answer => answers.push(answer),
  )
  const last = () => streams.at(-1) as (typeof streams)[0]
  const say = (data: unknown) => last().listeners.payable?.({ data: JSON.stringify(data) })
  const breakOff = () => last().listeners.error?.({})
  /** Fires the timer of this length. */
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
    answers,
    say,
    breakOff,
    pass,
    stop,
    last,
    waits: () => [...timers.values()].sort(),
    reads: () => reads,
  }
}

test('passes on what the stream sends, and does not poll while the stream is open', () => {
  const page = follow()
  page.say(sampleSession())
  page.say(sampleSession({ status: 'expired' }))
  expect(page.answers).toEqual([
    { kind: 'session', session: sampleSession() },
    { kind: 'session', session: sampleSession({ status: 'expired' }) },
  ])
  expect(page.waits()).toEqual([])
})

test('polls every 10 s while the stream is broken, and stops once it is back', async () => {
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

test('polls when a stream opens but sends nothing', async () => {
  const page = follow()
  await page.pass(10_000)
  expect(page.answers).toEqual([{ kind: 'unavailable' }])
})

test('reopens the stream with backoff of at most 30 s, and resets the backoff once it has sent a message', async () => {
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

test('polls when the browser has no EventSource', async () => {
  const page = follow({ supported: false })
  await page.pass(10_000)
  expect(page.reads()).toBe(1)
})

test('drops a read that a stream message has overtaken', async () => {
  const page = follow()
  const passing = page.pass(10_000)
  page.say(sampleSession())
  await passing
  expect(page.answers).toEqual([{ kind: 'session', session: sampleSession() }])
})

test.each(['', '{', 'null', '{}'])('ignores %j, which is not a payable', data => {
  const page = follow()
  page.last().listeners.payable?.({ data })
  expect(page.answers).toEqual([])
})

test('does nothing after it was stopped', () => {
  const page = follow()
  page.say(sampleSession())
  page.stop()
  page.say(sampleSession())
  page.breakOff()
  expect(page.answers).toHaveLength(1)
  expect(page.last().closed).toBe(true)
  expect(page.waits()).toEqual([])
})
