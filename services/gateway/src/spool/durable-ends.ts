import { groupCommit } from './group-commit.ts'
import type { Position } from './segment-files.ts'
import { append, isLost, type SegmentLog, sync } from './segment-log.ts'

/** An end record that was appended, and that its caller waits for. */
export interface AppendedEnd {
  bytes: Buffer
  position: Position
}

/**
 * Makes a function that resolves when an appended end is on the disk. Where the disk fails to sync, the group is written
 * once more, into a new file; a second failure is the callers' to know.
 */
export function createDurableEnds(log: SegmentLog, onWritten: () => void): (end: AppendedEnd) => Promise<void> {
  return groupCommit(async group => {
    await sync(log)
    const lost = group.filter(end => isLost(log, end.position))
    if (lost.length === 0) return
    for (const end of lost) {
      end.position = append(log, end.bytes)
      onWritten()
    }
    await sync(log)
    if (lost.some(end => isLost(log, end.position))) throw new Error('the disk fails to sync the spool')
  })
}
