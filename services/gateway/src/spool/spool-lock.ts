import { createHash } from 'node:crypto'
import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

type Unlock = () => Promise<void>

/** Locks a directory until `unlock` or this process's end. Throws if another process has it. */
export function lockDirectory(dir: string, platform: string = process.platform): Promise<Unlock> {
  return platform === 'linux' ? lockBySocket(dir) : lockByFile(dir)
}

/** How long a name may stay bound by a process that is ending or has just been forked. */
const releaseMs = 2_000
const retryMs = 50

/**
 * Binds an abstract Unix socket, because Node has no flock. Only one process can bind the name, and
 * the kernel releases it when the process dies. Device and inode identify the directory under any path. Names are local
 * to a network namespace, so containers that share a volume do not exclude each other: each needs its own volume.
 */
async function lockBySocket(dir: string): Promise<Unlock> {
  const { dev, ino } = statSync(dir, { bigint: true })
  const name = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32)
  const deadline = performance.now() + releaseMs
  for (;;) {
    try {
      return await bindSocket(`\0cobro-spool-${name}`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (performance.now() > deadline) throw taken(dir)
      await sleep(retryMs)
    }
  }
}

function bindSocket(path: string): Promise<Unlock> {
  const server = createServer(socket => socket.destroy()).unref()
  const { promise, resolve, reject } = Promise.withResolvers<Unlock>()
  server.once('error', reject)
  server.listen({ path }, () => resolve(() => new Promise(released => server.close(() => released()))))
  return promise
}

/** Locks by a pid file, for platforms other than Linux. The file of an ended process is ignored. */
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
