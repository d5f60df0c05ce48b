import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'

/** What comes of one item of a batch, where writing a batch gives a list with what came of each. */
type ResultOf<W> = W extends readonly (infer R)[] ? R : W

interface Waiting<T, W> {
  item: T
  resolve: (result: ResultOf<W>) => void
  reject: (error: unknown) => void
}

interface BatchOptions<T, W> {
  /** A list that it gives has what came of each item, in their order. */
  write: (items: T[]) => Promise<W>
  maxItems: number
  /** Tells whether a failure has nothing to do with the items, so that smaller batches would fail as well. */
  isUnavailable: (error: unknown) => boolean
}

/**
 * Gathers single items into batches: while one batch is written, the next fills. So an item that comes alone waits for
 * nothing, and under load a batch is as large as it has to be. One bad item does not fail its companions. A batch is written
 * outside of the calls and traces of its items.
 */
export function batchWriter<T, W = void>(options: BatchOptions<T, W>): (item: T) => Promise<ResultOf<W>> {
  const waiting: Waiting<T, W>[] = []
  const outside = AsyncLocalStorage.snapshot()
  let writing = false
  const writeAll = async () => {
    writing = true
    // What arrived in the same read of the socket goes into the same batch.
    await setImmediate()
    while (waiting.length > 0) await settleBatch(options, waiting.splice(0, options.maxItems))
    writing = false
  }
  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!writing) void outside(writeAll)
    })
}

/** Halves a batch that was refused until the items that were meant stand alone. */
async function settleBatch<T, W>(options: BatchOptions<T, W>, batch: Waiting<T, W>[]): Promise<void> {
  try {
    const written = await options.write(batch.map(({ item }) => item))
    const results = Array.isArray(written) ? written : []
    for (const [index, { resolve }] of batch.entries()) resolve(results[index])
  } catch (error) {
    if (batch.length > 1 && !options.isUnavailable(error)) {
      const half = Math.ceil(batch.length / 2)
      await settleBatch(options, batch.slice(0, half))
      await settleBatch(options, batch.slice(half))
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}
