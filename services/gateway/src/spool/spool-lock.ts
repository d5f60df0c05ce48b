import { createHash } from 'node:crypto'
import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

export type Unlock = () => Promise<void>

/** Takes a directory for this process until `unlock` or its end, however that comes. Throws when another process has it. */
export function lockDirectory(dir: string, platform: string = process.platform): Promise<Unlock> {
  return platform === 'linux' ? lockBySocket(dir) : lockByFile(dir)
}

/**
 * Node has no flock. The name of an abstract Unix socket is as good: one process can hold it, and the kernel frees it when
 * that one dies. Device and inode name the directory whatever path leads to it. Such names are known within one network
 * namespace: containers that share a volume are not kept apart, so each needs a volume of its own.
 */
function lockBySocket(dir: string): Promise<Unlock> {
  const { dev, ino } = statSync(dir, { bigint: true })
  const name = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)
  const server = createServer(socket => socket.destroy()).unref()
  const { promise, resolve, reject } = Promise.withResolvers<Unlock>()
  server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' ? taken(dir) : error))
  server.listen({ path: `\0cobro-spool-${name}` }, () => {
    resolve(() => new Promise(released => server.close(() => released())))
  })
  return promise
}

/** Where abstract sockets are unknown, a file with the holder's process id. A file whose process is gone counts for nothing. */
async function lockByFile(dir: string): Promise<Unlock> {
  const file = join(dir, 'lock')
  const holder = holderOf(file)
  if (holder !== undefined) {
    if (isRunning(holder)) throw taken(dir)
    unlinkSync(file)
  }
  writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
  return async () => unlinkSync(file)
}

function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function taken(dir: string): Error {
  return new Error(
    `the spool directory ${dir} is in use by another process: every gateway needs one of its own (SPOOL_DIR)`,
  )
}
