import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../connection/connect.ts'
import { shortHash, stateFolder } from '../connection/state-folder.ts'
import { writeWhole } from '../connection/write-whole.ts'
import { CommandError } from '../output/failures.ts'

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

/** Returns the file of what is listened to. */
export function listenStatePath({ baseUrl }: Pick<Connection, 'baseUrl'>, listened: readonly unknown[]): string {
  return join(stateFolder(), `listen-${shortHash([baseUrl, ...listened])}.json`)
}

/** Returns the state in a file. One process at a time may change it. */
export function listenState(path: string): ListenState {
  let stored = read(path)
  return {
    current: () => stored,
    change(change) {
      stored = { ...stored, ...change }
      writeWhole(path, JSON.stringify(stored))
    },
  }
}

/** A file that cannot be read is an error: without its position, events would be skipped. */
function read(path: string): Stored {
  try {
    const stored: Partial<Stored> = JSON.parse(readFileSync(path, 'utf8'))
    const { sequence, retries } = stored
    if ((sequence === undefined || Number.isSafeInteger(sequence)) && Array.isArray(retries))
      return { ...stored, retries }
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      if (error.code === 'ENOENT') return { retries: [] }
      throw new CommandError(`Cannot read ${path}: ${error.code}.`)
    }
  }
  throw new CommandError(`${path} does not have the position of a listener.`, {
    hint: 'Remove the file, and name the start: cobro listen --from 15m',
  })
}
