import { waitFor } from './wait-for.ts'

describe('waitFor', () => {
  test('waitFor returns the first value that is neither undefined nor false', async () => {
    const values = [undefined, false, 0]
    expect(await waitFor(() => values.shift(), { intervalMs: 1 })).toBe(0)
  })

  test('waitFor retries after an attempt that throws', async () => {
    let attempts = 0
    const attempt = () => {
      attempts += 1
      if (attempts < 3) throw new Error('not yet')
      return 'done'
    }
    expect(await waitFor(attempt, { intervalMs: 1 })).toBe('done')
  })

  test('waitFor fails with the last error after the timeout', async () => {
    const attempt = async () => {
      throw new Error('still nothing')
    }
    await expect(waitFor(attempt, { timeoutMs: 10, intervalMs: 1 })).rejects.toThrow('still nothing')
  })

  test('waitFor reports how long it waited for a value', async () => {
    await expect(waitFor(() => undefined, { timeoutMs: 10, intervalMs: 1 })).rejects.toThrow('within 10 ms')
  })
})
