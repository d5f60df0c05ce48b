import { createLogger } from '../observability/logger.ts'
import { claimAndProcess } from './claim-and-process.ts'

/** Options whose claims take the given items from the front. */
function claiming(items: number[]) {
  const claims: number[] = []
  const claim = async (limit: number) => {
    claims.push(limit)
    return items.splice(0, limit)
  }
  const options = { name: 'test', claim, batch: 3, concurrency: 2, logger: createLogger('test', 'silent') }
  return { claims, options }
}

test('claims and processes batches of due items until a batch is not full', async () => {
  const { claims, options } = claiming([1, 2, 3, 4, 5, 6, 7])
  const done: number[] = []
  await claimAndProcess(options, async item => void done.push(item))
  expect([done, claims]).toEqual([
    [1, 2, 3, 4, 5, 6, 7],
    [3, 3, 3],
  ])
})

test('claims the next batch only after all work on the previous one has ended', async () => {
  const { claims, options } = claiming([1, 2, 3, 4])
  const claimsAtEnd: number[] = []
  await claimAndProcess(options, async item => {
    for (let turns = 0; turns < item; turns++) await new Promise(resolve => setImmediate(resolve))
    claimsAtEnd.push(claims.length)
  })
  expect(claimsAtEnd).toEqual([1, 1, 1, 2])
})

test('processes the other items and further batches after a due item has failed', async () => {
  const { options } = claiming([1, 2, 3, 4])
  const done: number[] = []
  await claimAndProcess(options, async item => {
    if (item === 2) throw new Error('no')
    done.push(item)
  })
  expect(done).toEqual([1, 3, 4])
})

test('a stopping service finishes the batch of due items that it has claimed and claims no more', async () => {
  const { claims, options } = claiming([1, 2, 3, 4])
  const stop = new AbortController()
  const done: number[] = []
  await claimAndProcess({ ...options, stopping: stop.signal }, async item => {
    stop.abort()
    done.push(item)
  })
  expect([done, claims]).toEqual([[1, 2, 3], [3]])
})

test('rejects without processing anything when the claim of due items fails', async () => {
  const { options } = claiming([])
  const claim = () => Promise.reject(new Error('no database'))
  await expect(claimAndProcess({ ...options, claim }, async () => {})).rejects.toThrow('no database')
})

test('ends after a full batch of due items of which none succeeded, because they may still be due', async () => {
  const { claims, options } = claiming([1, 2, 3, 4, 5, 6, 7])
  await claimAndProcess(options, () => Promise.reject(new Error('no')))
  expect(claims).toEqual([3])
})

test('rejects and begins no further due items when the database becomes unavailable', async () => {
  const { claims, options } = claiming([1, 2, 3, 4, 5, 6, 7])
  const begun: number[] = []
  const error = new Error('no database')
  const running = claimAndProcess({ ...options, isUnavailable: seen => seen === error }, async item => {
    begun.push(item)
    if (item > 1) throw error
  })
  await expect(running).rejects.toThrow('no database')
  expect([begun, claims]).toEqual([[1, 2], [3]])
})

test('ends after a full batch of due items that other replicas have taken', async () => {
  const { claims, options } = claiming([1, 2, 3, 4, 5, 6, 7])
  await claimAndProcess(options, async () => false)
  expect(claims).toEqual([3])
})
