import { groupCommit } from '@cobro/runtime'
import type { SpoolPosition } from './segment-files.ts'
import { append, isLost, type SegmentLog, sync } from './segment-log.ts'

/** An appended end record that its caller awaits. */
export interface AppendedEnd {
  bytes: Buffer
  position: SpoolPosition
}

/**
 * Returns a function that resolves once an appended end record is synced to the disk. After a
 * failed sync the group is written once more, to a new file; a second failure rejects.
 */
export function createDurableEnds(log: SegmentLog, onWritten: () => void): (end: AppendedEnd) => Promise<void> {
  const write = async (group: AppendedEnd[]) => {
    await sync(log)
    const lost = group.filter(end => isLost(log, end.position))
    if (lost.length === 0) return
    for (const end of lost) {
      end.position = append(log, end.bytes)
      onWritten()
    }
    await sync(log)
    if (lost.some(end => isLost(log, end.position))) throw new Error('the disk fails to sync the spool')
  }
  return groupCommit({ write })
}
