import type { Logger } from '@cobro/runtime'
import { countAuditFailure } from './audit-failures.ts'
import { isTreeBroken } from './tree-head.ts'

const againAfterMs = 60_000

/**
 * Passes on what `work` throws, and says so once a minute where nothing can be added to the log: messages wait in their queue
 * then until somebody has looked, and nobody would learn why.
 */
export function withTreeAlarm<T>(work: () => Promise<T>, logger: Logger, nowMs = Date.now): () => Promise<T> {
  let saidAtMs = Number.NEGATIVE_INFINITY
  return () =>
    work().catch(error => {
      if (isTreeBroken(error) && nowMs() - saidAtMs >= againAfterMs) {
        saidAtMs = nowMs()
        countAuditFailure('tree')
        logger.error({ err: error }, 'the audit log takes no events')
      }
      throw error
    })
}
