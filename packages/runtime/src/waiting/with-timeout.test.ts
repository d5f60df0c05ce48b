import { withTimeout } from './with-timeout.ts'

const never = new Promise<string>(() => {})

test('returns undefined once the time is up', async () => {
  expect(await withTimeout(5, never)).toBeUndefined()
})

test.each([0, -5])('returns undefined for pending work with %d ms left', async ms => {
  expect(await withTimeout(ms, never)).toBeUndefined()
})

test.each([100, 0, -5])('returns the value of resolved work with %d ms left', async ms => {
  expect(await withTimeout(ms, Promise.resolve('done'))).toBe('done')
})

test('rejects when the work rejects in time', async () => {
  await expect(withTimeout(100, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})
