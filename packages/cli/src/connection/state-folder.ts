import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Returns the folder of what commands remember. */
export function stateFolder(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'cobro')
}

/** Returns a short name for what is listed, to use in the names of files. */
export function shortHash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
