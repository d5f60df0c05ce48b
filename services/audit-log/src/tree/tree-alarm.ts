import type { Logger } from '@cobro/runtime'
import { countAuditFailure } from './audit-failures.ts'
import { isTreeBroken } from './tree-head.ts'

const repeatMs = 60_000

/**
 * Wraps `work` to log and count, once a minute, that the tree is broken. It rethrows errors,
 * so messages stay in their queue until an operator intervenes.
 */
export function withTreeAlarm<T>(work: () => Promise<T>, logger: Logger, nowMs = Date.now): () => Promise<T> {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  return () =>
    work().catch(error => {
      if (isTreeBroken(error) && nowMs() - loggedAtMs >= repeatMs) {
        loggedAtMs = nowMs()
        countAuditFailure('tree')
        logger.error({ err: error }, 'the audit log accepts no events')
      }
      throw error
    })
}
