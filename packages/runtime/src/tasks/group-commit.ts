import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { wakeSignal } from '../waiting/wake-signal.ts'

/** The result for one item, if writing a batch returns an array with a result for each. */
type ResultOf<W> = W extends readonly (infer R)[] ? R : W

interface WaitingItem<T, W> {
  item: T
  resolve: (result: ResultOf<W>) => void
  reject: (error: unknown) => void
}

interface GroupCommitOptions<T, W> {
  /** Writes a batch. An array that it returns holds the items' results in their order. */
  write: (items: T[]) => Promise<W>
  /** The largest batch; without it there is no limit. */
  maxItems?: number
  /** How long a batch that is not full waits for further items, in ms; by default only for those of the same turn. */
  gatherMs?: number
  /**
   * Whether an error is unrelated to the items, so that smaller batches would fail too. After any
   * other error the batch is halved until the bad item fails alone. Without this function, all items of a batch fail.
   */
  isUnavailable?: (error: unknown) => boolean
}

/**
 * Returns a function that writes items in batches (group commit): while one batch is written, the
 * next one fills. A lone item is written at once unless `gatherMs` is set, and batches grow under load.
 * Writes run outside of calls and traces.
 */
export function groupCommit<T, W = void>(options: GroupCommitOptions<T, W>): (item: T) => Promise<ResultOf<W>> {
  const { maxItems = Number.POSITIVE_INFINITY, gatherMs } = options
  const waiting: WaitingItem<T, W>[] = []
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  const full = wakeSignal()
  let writing = false
  let gathering = false
  const gather = async () => {
    if (!gatherMs || waiting.length >= maxItems) return
    gathering = true
    await full.wait(gatherMs)
    gathering = false
  }
  const writeAll = async () => {
    writing = true
    // Items that arrived in the same read of the socket share a batch.
    await setImmediate()
    while (waiting.length > 0) {
      await gather()
      await writeBatch(options, waiting.splice(0, maxItems))
    }
    writing = false
  }
  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (gathering && waiting.length === maxItems) full.wake()
      if (!writing) void outsideOfCalls(writeAll)
    })
}

async function writeBatch<T, W>(options: GroupCommitOptions<T, W>, batch: WaitingItem<T, W>[]): Promise<void> {
  const { write, isUnavailable = () => true } = options
  try {
    const written = await write(batch.map(({ item }) => item))
    const results = Array.isArray(written) ? written : []
    for (const [index, { resolve }] of batch.entries()) resolve(results[index])
  } catch (error) {
    if (batch.length > 1 && !isUnavailable(error)) {
      const half = Math.ceil(batch.length / 2)
      await writeBatch(options, batch.slice(0, half))
      await writeBatch(options, batch.slice(half))
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}
