import type { Database } from '@cobro/database'
import { inNewTrace, type Logger, withCallContext } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { lockTransaction } from '../transactions/lock-transaction.ts'
import { RefundEntity } from './refund-entity.ts'
import { resolveRefund } from './resolve-refund.ts'

interface Transfer {
  id: string
  /** The name of the person who made the transfer, as they gave it. */
  by: string
}

/**
 * Records that a person has transferred a manual refund, and completes it as a report of the acquirer would. Throws for any other
 * refund, because only the acquirer ends those.
 */
export async function recordTransfer(
  { db, logger }: { db: Database; logger: Logger },
  { id, by }: Transfer,
): Promise<void> {
  const refund = await db.read(em => em.findOne(RefundEntity, { id }))
  if (!refund) throw new Error(`${id} is not a refund that is waiting for a transfer.`)
  const { transaction_id, merchant_id, correlation_id, traceparent } = refund
  const call = { actor: { type: 'command', id: by }, merchant_id, correlation_id }
  await inNewTrace('record manual refund', { links: [{ traceparent }] }, () =>
    withCallContext(call, async () => {
      await db.write(async (tx, emit) => {
        await lockTransaction(tx, transaction_id)
        // Of two concurrent confirmations the second must fail, because both people may have transferred the money.
        const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
        const { by_hand, status } = await tx.findOneOrFail(RefundEntity, { id }, locked)
        if (!by_hand) throw new Error(`${id} is not a refund that is waiting for a transfer: it is ${status}.`)
        await resolveRefund({ tx, emit, logger }, id, { status: 'completed', acquirer_reference: null })
      })
      // Operator commands print warnings and errors only.
      logger.warn({ refund_id: id, transaction_id, by }, 'recorded the transfer of a manual refund')
    }),
  )
}
