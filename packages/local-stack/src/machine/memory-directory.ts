import { existsSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

/**
 * Returns a directory in memory with room for the servers of tests, if there is one. For the
 * thousands of files of their databases, a file system on disk takes much more CPU time.
 */
export function memoryDirectory(): string | undefined {
  const directory = '/dev/shm'
  if (!existsSync(directory)) return undefined
  const { bavail, bsize } = statfsSync(directory)
  return Math.min(bavail * bsize, freemem()) > 4 * 1024 ** 3 ? directory : undefined
}
