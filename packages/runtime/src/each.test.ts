import { each } from './each.ts'
import { createLogger } from './logger.ts'

const options = { atOnce: 3, name: 'test', logger: createLogger('test', 'silent') }

test('works on every item, a few at a time, whatever becomes of the others', async () => {
  let running = 0
  let most = 0
  const seen: number[] = []
  const done = await each([1, 2, 3, 4, 5, 6, 7], options, async item => {
    most = Math.max(most, ++running)
    await new Promise(resolve => setImmediate(resolve))
    running -= 1
    seen.push(item)
    if (item % 3 === 0) throw new Error('no')
  })
  expect([seen.toSorted(), most, done]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3, 5])
})
