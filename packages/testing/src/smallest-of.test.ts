import { mock } from 'node:test'
import { smallestOf } from './smallest-of.ts'

describe('smallestOf', () => {
  test.each([
    [[3], 3, 1],
    [[20, 10, 9], 9, 3],
    [[20, 12, 15, 18], 12, 4],
    [[20, 12, 15, 18, 3], 12, 4],
  ])('smallestOf of the results %j with the bound 10 is %d after %d measurements', async (results, smallest, count) => {
    const measure = mock.fn(async () => results[measure.mock.callCount()]!)
    expect(await smallestOf(10, measure)).toBe(smallest)
    expect(measure.mock.callCount()).toBe(count)
  })
})
