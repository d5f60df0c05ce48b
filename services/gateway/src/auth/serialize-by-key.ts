import pLimit, { type LimitFunction } from 'p-limit'

/** Returns a function that runs tasks of one key in sequence, those of other keys concurrently. */
export function serializeByKey(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { limit: LimitFunction; users: number }>()
  return async (key, task) => {
    const queue = queues.get(key) ?? { limit: pLimit(1), users: 0 }
    queues.set(key, queue)
    queue.users++
    try {
      return await queue.limit(task)
    } finally {
      queue.users--
      if (queue.users === 0) queues.delete(key)
    }
  }
}
