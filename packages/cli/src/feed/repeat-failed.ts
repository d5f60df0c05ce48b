import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Cobro, NotFoundError, type StoredEvent, UnansweredError } from '@cobro/sdk'
import type { ListenState, PendingRetry } from './listen-state.ts'

interface Repetition {
  state: ListenState
  feed: Pick<Cobro['webhookEvents'], 'retrieve'>
  signal: AbortSignal
  /** Sends an event for the nth time. */
  send(event: StoredEvent, attempt: number): Promise<void>
  /** Called for an event that the feed does not keep any more. */
  onLost(retry: PendingRetry): void
}

const pollMs = 200
/** How soon to ask again for an event while the API cannot be reached. */
const unreachableMs = 5_000

/**
 * Sends failed events again when they are due, one after another, until the signal aborts. Runs beside the reading of the
 * feed, so that later events do not wait. Rejects with an error that does not pass by itself.
 */
export async function repeatFailed({ state, feed, signal, send, onLost }: Repetition): Promise<void> {
  while (!signal.aborted) {
    const due = earliestOf(state.current().retries)
    if (!due || due.due_ms > Date.now()) {
      await sleep(pollMs, undefined, { signal }).catch(() => undefined)
      continue
    }
    try {
      const event = await feed.retrieve(due.id, { signal })
      await send(event, due.attempts + 1)
    } catch (error) {
      if (signal.aborted) return
      const isLost = error instanceof NotFoundError
      if (!isLost && !isPassing(error)) throw error
      if (isLost) onLost(due)
      const later = isLost ? undefined : { ...due, due_ms: Date.now() + unreachableMs }
      state.change({ retries: withRetry(state.current().retries, due.id, later) })
    }
  }
}

/** Returns retries with that of an event in place of the one before; undefined if it is not sent again. */
export function withRetry(
  retries: readonly PendingRetry[],
  id: string,
  next: PendingRetry | undefined,
): readonly PendingRetry[] {
  const others = retries.filter(retry => retry.id !== id)
  return next ? [...others, next] : others
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof UnansweredError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))
  )
}

function earliestOf(retries: readonly PendingRetry[]): PendingRetry | undefined {
  return retries.toSorted((a, b) => a.due_ms - b.due_ms)[0]
}
