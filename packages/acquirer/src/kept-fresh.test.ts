import { keptFresh } from './kept-fresh.ts'

function setUp() {
  let now = 0
  let loads = 0
  let failing = false
  const load = async () => {
    loads++
    if (failing) throw new Error('away')
    return `value ${loads}`
  }
  const get = keptFresh(load, { freshMs: 300, retryMs: 10, now: () => now })
  return {
    get,
    loads: () => loads,
    pass: (ms: number) => {
      now += ms
    },
    fail: (yes: boolean) => {
      failing = yes
    },
  }
}

test('loads once for all who ask at the same time, and again when the value is no longer fresh', async () => {
  const { get, loads, pass } = setUp()
  expect(await Promise.all([get(), get(), get()])).toEqual(['value 1', 'value 1', 'value 1'])
  pass(299)
  expect(await get()).toBe('value 1')
  pass(1)
  expect(await get()).toBe('value 2')
  expect(loads()).toBe(2)
})

test('serves the old value while loading fails, without trying at every call', async () => {
  const { get, loads, pass, fail } = setUp()
  await get()
  pass(300)
  fail(true)
  expect([await get(), await get()]).toEqual(['value 1', 'value 1'])
  expect(loads()).toBe(2)
  pass(10)
  fail(false)
  expect(await get()).toBe('value 3')
})

test('fails while there is no value at all, and tries anew at the next call', async () => {
  const { get, fail } = setUp()
  fail(true)
  await expect(get()).rejects.toThrow('away')
  fail(false)
  expect(await get()).toBe('value 2')
})
