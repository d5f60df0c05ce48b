import { setTimeout as sleep } from 'node:timers/promises'
import { type Cobro, NotFoundError, type StoredEvent } from '@cobro/sdk'
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
 * feed, so that later events do not wait.
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
      if (isLost) onLost(due)
      replaceRetry(state, due.id, isLost ? undefined : { ...due, due_ms: Date.now() + unreachableMs })
    }
  }
}

/** Stores the retry of an event in place of the one before; undefined if it is not sent again. */
export function replaceRetry(state: ListenState, id: string, next: PendingRetry | undefined): void {
  const others = state.current().retries.filter(retry => retry.id !== id)
  state.change({ retries: next ? [...others, next] : others })
}

function earliestOf(retries: readonly PendingRetry[]): PendingRetry | undefined {
  return retries.toSorted((a, b) => a.due_ms - b.due_ms)[0]
}
