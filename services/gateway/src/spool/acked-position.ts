import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@cobro/runtime'
import type { SpoolPosition } from './segment-files.ts'

const writeIntervalMs = 1000

/**
 * Reads the acknowledged position: the broker has confirmed everything before it. A missing or
 * damaged file means that everything is published again.
 */
export function readAckedPosition(dir: string): SpoolPosition | undefined {
  try {
    const { segment, offset } = JSON.parse(readFileSync(fileIn(dir), 'utf8'))
    return Number.isSafeInteger(segment) && Number.isSafeInteger(offset) ? { segment, offset } : undefined
  } catch {
    return undefined
  }
}

/**
 * Stores the acknowledged position in a file, at most once a second, unsynced. If it is outdated or
 * lost, some events are published twice, and consumers recognize them by id.
 */
export function openAckedPositionFile(dir: string, logger: Pick<Logger, 'warn'>) {
  let latest: SpoolPosition | undefined
  let timer: NodeJS.Timeout | undefined

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    try {
      writeFileSync(`${fileIn(dir)}.new`, JSON.stringify(latest), { mode: 0o600 })
      renameSync(`${fileIn(dir)}.new`, fileIn(dir))
    } catch (error) {
      logger.warn({ err: error }, 'the acknowledged position of the spool could not be stored')
    }
  }

  return {
    store(position: SpoolPosition): void {
      latest = position
      timer ??= setTimeout(write, writeIntervalMs).unref()
    },
    close(): void {
      if (timer) write()
    },
  }
}

function fileIn(dir: string): string {
  return join(dir, 'acked.json')
}
