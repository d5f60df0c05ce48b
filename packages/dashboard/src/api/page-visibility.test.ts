import { getEventListeners } from 'node:events'
import { pause, seen, untilHidden } from './page-visibility.ts'

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const turn = (visibilityState: 'visible' | 'hidden') => {
  page.visibilityState = visibilityState
  page.dispatchEvent(new Event('visibilitychange'))
}
const listeners = (signal: AbortSignal) => [
  getEventListeners(page, 'visibilitychange').length,
  getEventListeners(signal, 'abort').length,
]
const { document: before } = globalThis as { document?: unknown }
beforeAll(() => {
  Object.assign(globalThis, { document: page })
})
afterAll(() => {
  Object.assign(globalThis, { document: before })
})

test('a page that is hidden and seen again leaves no listeners behind', async () => {
  const { signal } = new AbortController()
  for (let times = 0; times < 5; times++) {
    await seen(signal)
    const here = untilHidden(signal)
    expect(listeners(signal)).toEqual([1, 0])
    turn('hidden')
    expect([here.aborted, ...listeners(signal)]).toEqual([true, 0, 0])
    const back = seen(signal)
    expect(listeners(signal)).toEqual([1, 1])
    turn('visible')
    await back
    expect(listeners(signal)).toEqual([0, 0])
  }
})

test('a pause ends with its time or its signal, and leaves no listener behind', async () => {
  const stop = new AbortController()
  await pause(0, stop.signal)
  expect(listeners(stop.signal)).toEqual([0, 0])
  const long = pause(60_000, stop.signal)
  stop.abort()
  await long
  expect(listeners(stop.signal)).toEqual([0, 0])
  await pause(60_000, stop.signal)
})

test('what waits for a hidden page ends with its signal', async () => {
  turn('hidden')
  const stop = new AbortController()
  const waiting = seen(stop.signal)
  const here = untilHidden(stop.signal)
  stop.abort()
  await waiting
  expect([here.aborted, ...listeners(stop.signal)]).toEqual([true, 0, 0])
  turn('visible')
})
