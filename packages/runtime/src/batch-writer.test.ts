import { setImmediate } from 'node:timers/promises'
import { batchWriter } from './batch-writer.ts'
import { currentCall, inCall } from './call-context.ts'

const never = () => false

test('writes what came together at once, and what came meanwhile next', async () => {
  const batches: number[][] = []
  const store = batchWriter<number>({
    write: async batch => void batches.push(batch),
    maxItems: 3,
    isUnavailable: never,
  })
  await Promise.all([store(1), store(2), store(3), store(4)])
  await store(5)
  expect(batches).toEqual([[1, 2, 3], [4], [5]])
})

test('an item is done only when its own batch is written', async () => {
  let finish = () => {}
  const write = () =>
    new Promise<void>(resolve => {
      finish = resolve
    })
  let done = false
  void batchWriter<number>({ write, maxItems: 3, isUnavailable: never })(1).then(() => {
    done = true
  })
  await setImmediate()
  await setImmediate()
  expect(done).toBe(false)
  finish()
  await setImmediate()
  expect(done).toBe(true)
})

test('a bad item fails alone, and its companions are written', async () => {
  const written = new Set<number>()
  const write = async (batch: number[]) => {
    if (batch.includes(13)) throw new Error('13 is refused')
    for (const item of batch) written.add(item)
  }
  const items = Array.from({ length: 50 }, (_, item) => item)
  const outcomes = await Promise.allSettled(
    items.map(batchWriter<number>({ write, maxItems: 500, isUnavailable: never })),
  )
  expect(outcomes.flatMap((outcome, item) => (outcome.status === 'rejected' ? [item] : []))).toEqual([13])
  expect([...written].sort((a, b) => a - b)).toEqual(items.filter(item => item !== 13))
})

test('a database that is away fails the whole batch after one try', async () => {
  let tries = 0
  const write = async () => {
    tries++
    throw new Error('away')
  }
  const store = batchWriter<number>({ write, maxItems: 500, isUnavailable: () => true })
  const outcomes = await Promise.allSettled([store(1), store(2), store(3)])
  expect(outcomes.every(outcome => outcome.status === 'rejected')).toBe(true)
  expect(tries).toBe(1)
})

test('each item is given what came of it', async () => {
  const double = batchWriter({
    write: async (batch: number[]) => batch.map(n => 2 * n),
    maxItems: 3,
    isUnavailable: never,
  })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
})

test('a batch is written outside of the call of the item that set it off', async () => {
  const merchants: (string | null)[] = []
  const write = async () => void merchants.push(currentCall().merchant_id)
  const store = batchWriter<number>({ write, maxItems: 3, isUnavailable: never })
  await inCall({ merchant_id: 'mrc_1' }, () => store(1))
  expect(merchants).toEqual([null])
})
