import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Id } from '@cobro/contracts'
import { createLogger, type Logger } from '@cobro/runtime'
import { openSpool, type Spool, type SpoolLimits } from '../src/spool/open-spool.ts'
import { nodeDisk, type SpoolDisk } from '../src/spool/spool-disk.ts'
import { callBegin, callEnd } from './spool-calls.ts'
import { fakeBroker } from './spool-fakes.ts'

const silent = createLogger('gateway', 'silent')
const directories: string[] = []
const opened: Spool[] = []

/**
 * Closes the spools of each test of the calling file, and deletes their directories after the last.
 */
export function spoolsOfEachTest(): void {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(spool => spool.close({ timeoutMs: 0 })))
  })
  afterAll(() => {
    for (const dir of directories.splice(0)) rmSync(dir, { recursive: true, force: true })
  })
}

/** Creates a directory that is deleted at the end of the test file. */
export function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'cobro-spool-'))
  directories.push(dir)
  return dir
}

interface World {
  dir?: string
  broker?: ReturnType<typeof fakeBroker>
  disk?: SpoolDisk
  logger?: Logger
  limits?: Partial<SpoolLimits>
}

/** Opens a spool until the end of the test, by default a new one with a working broker and disk. */
export async function open({
  dir = temporaryDirectory(),
  broker = fakeBroker(),
  disk = nodeDisk,
  logger = silent,
  limits,
}: World = {}) {
  const spool = await openSpool({ dir, publish: broker.publish, logger, disk, ...(limits ? { limits } : {}) })
  opened.push(spool)
  return { spool, dir, broker }
}

/** Closes a spool, with `timeoutMs` to publish what is waiting. */
export async function close(spool: Spool, timeoutMs = 0): Promise<void> {
  opened.splice(opened.indexOf(spool), 1)
  await spool.close({ timeoutMs })
}

/** Begins and ends a call, by default one that changes something. */
export async function call(spool: Spool, options = { durable: true, required: true }): Promise<Id<'req'>> {
  const begin = callBegin()
  spool.begin(begin, options)
  await spool.end(begin.request_id, callEnd(), options)
  return begin.request_id
}

export const read = { durable: false, required: false }

/** Returns a logger and the texts that it has logged. */
export function recordingLogger(): { logger: Logger; texts: string[] } {
  const texts: string[] = []
  const write = (line: string) => void texts.push(JSON.parse(line).msg)
  return { logger: createLogger('gateway', 'info', { write }), texts }
}

export function segments(dir: string): string[] {
  return readdirSync(dir).filter(name => name.endsWith('.spool'))
}
