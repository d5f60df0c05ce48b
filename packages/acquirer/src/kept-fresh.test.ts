import { keptFresh } from './kept-fresh.ts'

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
  const get = keptFresh(load, { freshMs: 300, retryMs: 10, now: () => now })
  return {
    get,
    loads: () => loads,
    pass: (ms: number) => {
      now += ms
    },
    hang: () => {
      hanging = true
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
  await get()
  expect(await get()).toBe('value 2')
  expect(loads()).toBe(2)
})

test('nobody waits for a new value while the old one will do, however long it takes', async () => {
  const { get, pass, hang } = setUp()
  await get()
  hang()
  pass(300)
  expect(await get()).toBe('value 1')
  pass(299)
  expect(await get()).toBe('value 1')
})

test('a value that is twice as old as it should be is waited for', async () => {
  const { get, pass } = setUp()
  await get()
  pass(600)
  expect(await get()).toBe('value 2')
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
  await get()
  expect(await get()).toBe('value 3')
})

test('fails while there is no value at all, and tries anew at the next call', async () => {
  const { get, fail } = setUp()
  fail(true)
  await expect(get()).rejects.toThrow('away')
  fail(false)
  expect(await get()).toBe('value 2')
})
