import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Connection } from '../connection/connect.ts'
import { shortHash, stateFolder } from '../connection/state-folder.ts'

/** An event that the receiver has failed, and gets again. */
export interface PendingRetry {
  id: string
  sequence: number
  /** How often it was sent. */
  attempts: number
  /** When it is sent again, in Unix milliseconds. */
  due_ms: number
}

interface Stored {
  /** The event up to which all were sent at least once. */
  sequence?: number
  retries: readonly PendingRetry[]
}

/**
 * What `listen` remembers for each merchant, receiver and choice of events. The position moves past an event together with
 * the storing of its retry, in one step: a crash loses none, and only the last event may come twice.
 */
export interface ListenState {
  current(): Stored
  change(change: Partial<Stored>): void
}

/** Returns the state of what is listened to. */
export function listenState({ baseUrl }: Pick<Connection, 'baseUrl'>, listened: readonly unknown[]): ListenState {
  const path = join(stateFolder(), `listen-${shortHash([baseUrl, ...listened])}.json`)
  let stored = read(path)
  return {
    current: () => stored,
    change(change) {
      stored = { ...stored, ...change }
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify(stored), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

function read(path: string): Stored {
  try {
    const { sequence, retries }: Partial<Stored> = JSON.parse(readFileSync(path, 'utf8'))
    return { ...(Number.isSafeInteger(sequence) && { sequence }), retries: Array.isArray(retries) ? retries : [] }
  } catch {
    return { retries: [] }
  }
}
