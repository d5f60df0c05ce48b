import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '@cobro/runtime'
import type { Position } from './segment-files.ts'

const everyMs = 1000

/** Reads up to where the broker had confirmed everything. Absent or damaged: unknown, and what is there is shipped again. */
export function readAckedPosition(dir: string): Position | undefined {
  try {
    const { segment, offset } = JSON.parse(readFileSync(fileIn(dir), 'utf8'))
    return Number.isSafeInteger(segment) && Number.isSafeInteger(offset) ? { segment, offset } : undefined
  } catch {
    return undefined
  }
}

/**
 * Keeps that position in a file, written once a second at most and not synced: when it is behind, or gone, consumers get
 * some events again, which they know by their ids.
 */
export function openAckedPositionFile(dir: string, logger: Pick<Logger, 'warn'>) {
  let noted: Position | undefined
  let timer: NodeJS.Timeout | undefined

  function write(): void {
    clearTimeout(timer)
    timer = undefined
    try {
      writeFileSync(`${fileIn(dir)}.new`, JSON.stringify(noted), { mode: 0o600 })
      renameSync(`${fileIn(dir)}.new`, fileIn(dir))
    } catch (error) {
      logger.warn({ err: error }, 'the acknowledged position of the spool could not be noted')
    }
  }

  return {
    note(position: Position): void {
      noted = position
      timer ??= setTimeout(write, everyMs).unref()
    },
    close(): void {
      if (timer) write()
    },
  }
}

function fileIn(dir: string): string {
  return join(dir, 'acked.json')
}
