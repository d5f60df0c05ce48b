import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '../output/failures.ts'

const retryMs = 50
/** Longer than what is done under a lock takes, so that the lock of a killed command does not stay. */
const staleMs = 120_000

/** Runs work while no other command runs work under the same lock file. */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  for (const endsAt = Date.now() + staleMs; !tryLock(path); await sleep(retryMs)) {
    if (Date.now() > endsAt) throw new CommandError(`Another command holds ${path}.`, { hint: `Run: rm ${path}` })
  }
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function tryLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - since > staleMs) rmSync(path, { force: true })
  return false
}
