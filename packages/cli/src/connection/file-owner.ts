import { readFileSync, rmSync } from 'node:fs'
import { identifyProcess, isRunning, type ProcessIdentity } from '@cobro/local-stack/process-identity'
import { withLock } from './file-lock.ts'
import { writeWhole } from './write-whole.ts'

/**
 * Makes this process the only one that uses a file for as long as it runs. Returns a function that gives the file up, or
 * undefined if another process that still runs has it.
 */
export function takeFile(path: string): Promise<(() => void) | undefined> {
  const owner = `${path}.owner`
  return withLock(`${path}.lock`, () => {
    const other = readOwner(owner)
    if (other && isRunning(other)) return undefined
    const self = identifyProcess(process.pid)
    if (self) writeWhole(owner, JSON.stringify(self))
    return () => rmSync(owner, { force: true })
  })
}

/** A file that is not whole was left by a crash of the machine. */
function readOwner(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
