import type { Logger } from './logger.ts'

/**
 * Works on items a few at a time. An item that fails is logged and keeps none of the others from their turn. Resolves
 * when all have ended, with the number of those that went well.
 */
export async function each<T>(
  items: readonly T[],
  options: { atOnce: number; name: string; logger: Logger },
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  const { atOnce, name, logger } = options
  const queue = items.values()
  let done = 0
  const worker = async () => {
    for (const item of queue) {
      try {
        await work(item)
        done += 1
      } catch (error) {
        logger.error({ err: error, task: name, item }, 'one item of a task failed')
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return done
}
