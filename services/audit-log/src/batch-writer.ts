import { setImmediate } from 'node:timers/promises'

interface Waiting<T> {
  item: T
  resolve: () => void
  reject: (error: unknown) => void
}

interface BatchOptions<T> {
  write: (items: T[]) => Promise<void>
  maxItems: number
  /** Tells whether a failure has nothing to do with the items, so that smaller batches would fail as well. */
  isAway: (error: unknown) => boolean
}

/**
 * Gathers single items into batches: while one batch is written, the next fills. So an item that comes alone waits for
 * nothing, and under load a batch is as large as it has to be. One bad item does not fail its companions.
 */
export function batchWriter<T>(options: BatchOptions<T>): (item: T) => Promise<void> {
  const waiting: Waiting<T>[] = []
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
      if (!writing) void writeAll()
    })
}

/** Halves a batch that was refused until the items that were meant stand alone. */
async function settleBatch<T>(options: BatchOptions<T>, batch: Waiting<T>[]): Promise<void> {
  try {
    await options.write(batch.map(({ item }) => item))
    for (const { resolve } of batch) resolve()
  } catch (error) {
    if (batch.length > 1 && !options.isAway(error)) {
      const half = Math.ceil(batch.length / 2)
      await settleBatch(options, batch.slice(0, half))
      await settleBatch(options, batch.slice(half))
    } else {
      for (const { reject } of batch) reject(error)
    }
  }
}
