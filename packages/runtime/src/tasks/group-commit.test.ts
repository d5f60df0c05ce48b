import { setImmediate, setTimeout } from 'node:timers/promises'
import { currentCall, withCallContext } from '../observability/call-context.ts'
import { groupCommit } from './group-commit.ts'

const never = () => false

test('group commit writes items that arrive together in one batch, and later ones in the next', async () => {
  const batches: number[][] = []
  const store = groupCommit<number>({
    write: async batch => void batches.push(batch),
    maxItems: 3,
    isUnavailable: never,
  })
  await Promise.all([store(1), store(2), store(3), store(4)])
  await store(5)
  expect(batches).toEqual([[1, 2, 3], [4], [5]])
})

test('group commit with a time to gather waits for further items, and not once the batch is full', async () => {
  const batches: number[][] = []
  const write = async (batch: number[]) => void batches.push(batch)
  const store = groupCommit<number>({ write, maxItems: 3, isUnavailable: never, gatherMs: 50 })
  const startedAt = performance.now()
  const first = store(1)
  await setTimeout(10)
  await Promise.all([first, store(2)])
  // Timers may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49)
  expect(batches).toEqual([[1, 2]])
  const patient = groupCommit<number>({ write, maxItems: 3, isUnavailable: never, gatherMs: 60_000 })
  await Promise.all([patient(3), patient(4), patient(5)])
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ])
})

test('group commit resolves an item only once its own batch is written', async () => {
  let finish = () => {}
  const write = () =>
    new Promise<void>(resolve => {
      finish = resolve
    })
  let done = false
  void groupCommit<number>({ write, maxItems: 3, isUnavailable: never })(1).then(() => {
    done = true
  })
  await setImmediate()
  await setImmediate()
  expect(done).toBe(false)
  finish()
  await setImmediate()
  expect(done).toBe(true)
})

test('group commit fails a bad item alone and writes the other items of its batch', async () => {
  const written = new Set<number>()
  const write = async (batch: number[]) => {
    if (batch.includes(13)) throw new Error('13 is rejected')
    for (const item of batch) written.add(item)
  }
  const items = Array.from({ length: 50 }, (_, item) => item)
  const outcomes = await Promise.allSettled(
    items.map(groupCommit<number>({ write, maxItems: 500, isUnavailable: never })),
  )
  expect(outcomes.flatMap((outcome, item) => (outcome.status === 'rejected' ? [item] : []))).toEqual([13])
  expect([...written].sort((a, b) => a - b)).toEqual(items.filter(item => item !== 13))
})

test('group commit fails the whole batch after one attempt if the database is unavailable', async () => {
  let tries = 0
  const write = async () => {
    tries++
    throw new Error('away')
  }
  const store = groupCommit<number>({ write, maxItems: 500, isUnavailable: () => true })
  const outcomes = await Promise.allSettled([store(1), store(2), store(3)])
  expect(outcomes.every(outcome => outcome.status === 'rejected')).toBe(true)
  expect(tries).toBe(1)
})

test('group commit returns each item its own result', async () => {
  const double = groupCommit({
    write: async (batch: number[]) => batch.map(n => 2 * n),
    maxItems: 3,
    isUnavailable: never,
  })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
})

test('group commit writes a batch outside of the call context of its first item', async () => {
  const merchants: (string | null)[] = []
  const write = async () => void merchants.push(currentCall().merchant_id)
  const store = groupCommit<number>({ write, maxItems: 3, isUnavailable: never })
  await withCallContext({ merchant_id: 'mrc_1' }, () => store(1))
  expect(merchants).toEqual([null])
})

/** A group commit whose batches end when the test says so. */
function controlledFlush() {
  const flushes: { group: string[]; end: PromiseWithResolvers<void> }[] = []
  const commit = groupCommit<string>({
    write: group => {
      const end = Promise.withResolvers<void>()
      flushes.push({ group, end })
      return end.promise
    },
  })
  return { commit, flushes }
}

test('group commit collects items that arrive during a write in the next batch', async () => {
  const { commit, flushes } = controlledFlush()
  const first = commit('a')
  await setImmediate()
  const others = [commit('b'), commit('c')]
  await setImmediate()
  expect(flushes.map(({ group }) => group)).toEqual([['a']])

  flushes[0]!.end.resolve()
  await first
  await setImmediate()
  expect(flushes.map(({ group }) => group)).toEqual([['a'], ['b', 'c']])
  flushes[1]!.end.resolve()
  await Promise.all(others)
})

test('group commit writes the items of one turn of the event loop in one batch', async () => {
  const { commit, flushes } = controlledFlush()
  const all = [commit('a'), commit('b'), commit('c')]
  await setImmediate()
  expect(flushes.map(({ group }) => group)).toEqual([['a', 'b', 'c']])
  flushes[0]!.end.resolve()
  await Promise.all(all)
})

test('a failed write fails all items of its batch and none of the next, if it is not split', async () => {
  const { commit, flushes } = controlledFlush()
  const group = Promise.allSettled([commit('a'), commit('b')])
  await setImmediate()
  const next = commit('c')
  flushes[0]!.end.reject(new Error('i/o error'))
  expect((await group).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await setImmediate()
  flushes[1]!.end.resolve()
  await next
})

test('group commit writes a batch that waits for further items as soon as it is full', async () => {
  const groups: string[][] = []
  const write = async (group: string[]) => void groups.push(group)
  const commit = groupCommit<string>({ write, maxItems: 2, gatherMs: 3_600_000 })
  const first = commit('a')
  for (let turn = 0; turn < 3; turn++) await setImmediate()
  expect(groups).toEqual([])
  await Promise.all([first, commit('b')])
  expect(groups).toEqual([['a', 'b']])
})
