type Work<T> = () => Promise<T>

/** Makes a function that runs at most `limit` pieces of work at a time; the others wait in order. */
export function atMost(limit: number): <T>(work: Work<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async work => {
    if (running >= limit) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Makes a function that runs the pieces of work of one key one after another, and those of different keys side by side. */
export function oneByOne(): <T>(key: string, work: Work<T>) => Promise<T> {
  const queues = new Map<string, { run: <T>(work: Work<T>) => Promise<T>; users: number }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { run: atMost(1), users: 0 }
    queues.set(key, queue)
    queue.users++
    try {
      return await queue.run(work)
    } finally {
      queue.users--
      if (queue.users === 0) queues.delete(key)
    }
  }
}
