import type { HostedApi, ReadAnswer } from './hosted-api.ts'

const firstWaitMs = 1000
const longestWaitMs = 5000

/**
 * Tells a page what its session came to, until it is stopped: reads it again after 1 s, then ever less often, at least
 * every 5 s. The only place that knows how a page learns of changes.
 */
export function watchSession(
  deps: { api: Pick<HostedApi, 'read'>; wait: (ms: number) => Promise<void> },
  onRead: (answer: ReadAnswer) => void,
): () => void {
  let watching = true
  const watch = async () => {
    for (let waitMs = firstWaitMs; watching; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
      await deps.wait(waitMs)
      const answer = watching && (await deps.api.read())
      if (watching && answer) onRead(answer)
    }
  }
  void watch()
  return () => {
    watching = false
  }
}
