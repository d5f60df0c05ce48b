import { staleWhileRevalidate } from './stale-while-revalidate.ts'

function setUp() {
  let now = 0
  let loads = 0
  let failing = false
  let hanging = false
  const load = async () => {
    loads++
    if (failing) throw new Error('away')
    if (hanging) await new Promise(() => {})
    return `value ${loads}`
  }
  const get = staleWhileRevalidate(load, { freshMs: 300, retryMs: 10, now: () => now })
  return {
    get,
    loads: () => loads,
    advance: (ms: number) => {
      now += ms
    },
    hang: () => {
      hanging = true
    },
    setFailing: (yes: boolean) => {
      failing = yes
    },
  }
}

test('loads once for concurrent callers, and again when the value is no longer fresh', async () => {
  const { get, loads, advance } = setUp()
  expect(await Promise.all([get(), get(), get()])).toEqual(['value 1', 'value 1', 'value 1'])
  advance(299)
  expect(await get()).toBe('value 1')
  advance(1)
  await get()
  expect(await get()).toBe('value 2')
  expect(loads()).toBe(2)
})

test('returns the stale value at once while a reload hangs', async () => {
  const { get, advance, hang } = setUp()
  await get()
  hang()
  advance(300)
  expect(await get()).toBe('value 1')
  advance(299)
  expect(await get()).toBe('value 1')
})

test('waits for the reload of a value that is twice as old as its fresh time', async () => {
  const { get, advance } = setUp()
  await get()
  advance(600)
  expect(await get()).toBe('value 2')
})

test('returns the stale value while reloads setFailing, and does not reload at every call', async () => {
  const { get, loads, advance, setFailing } = setUp()
  await get()
  advance(300)
  setFailing(true)
  expect([await get(), await get()]).toEqual(['value 1', 'value 1'])
  expect(loads()).toBe(2)
  advance(10)
  setFailing(false)
  await get()
  expect(await get()).toBe('value 3')
})

test('throws if the first load fails, and loads again at the next call', async () => {
  const { get, setFailing } = setUp()
  setFailing(true)
  await expect(get()).rejects.toThrow('away')
  setFailing(false)
  expect(await get()).toBe('value 2')
})
