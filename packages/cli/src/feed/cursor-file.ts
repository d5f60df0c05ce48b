import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Connection } from '../connection/connect.ts'

/** Remembers up to which event `listen` got: one position for each merchant, receiver and choice of events. */
export interface CursorFile {
  read(): number | undefined
  /** Written when events were forwarded, so that none is lost: after a crash the last ones may come again. */
  write(sequence: number): void
}

/** Returns the file of what is listened to. */
export function cursorFile({ baseUrl }: Connection, listened: readonly unknown[]): CursorFile {
  const state = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const key = createHash('sha256')
    .update(JSON.stringify([baseUrl, ...listened]))
    .digest('hex')
    .slice(0, 16)
  const path = join(state, 'cobro', `listen-${key}.json`)
  return {
    read() {
      try {
        const { sequence } = JSON.parse(readFileSync(path, 'utf8'))
        return Number.isSafeInteger(sequence) ? sequence : undefined
      } catch {
        return undefined
      }
    },
    write(sequence) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify({ sequence }), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
