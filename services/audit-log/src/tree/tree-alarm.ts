import type { Logger } from '@cobro/runtime'
import { countAuditFailure } from './audit-failures.ts'
import { isTreeBroken } from './tree-head.ts'

const repeatMs = 60_000

/**
 * Wraps `work` so that it logs and counts once a minute that the tree is broken. Messages stay in their queue until an operator
 * intervenes. Errors are rethrown.
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
