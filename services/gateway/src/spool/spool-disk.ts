import { closeSync, fdatasync, openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The disk operations of the spool's writer. Tests pass a disk that is full or failing. */
export interface SpoolDisk {
  create(path: string): number
  /** Writes `bytes` from `offset` to a file's `position`. May write less, like the system call. */
  write(fd: number, bytes: Buffer, offset: number, position: number): number
  sync(fd: number): Promise<void>
  syncDirectory(path: string): Promise<void>
  close(fd: number): void
}

export const nodeDisk: SpoolDisk = {
  create: path => openSync(path, 'wx', 0o600),
  write: (fd, bytes, offset, position) => writeSync(fd, bytes, offset, bytes.length - offset, position),
  sync: promisify(fdatasync),
  syncDirectory: async path => {
    const directory = await open(path)
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  },
  close: closeSync,
}
