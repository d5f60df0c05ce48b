import type { Database } from '@cobro/database'
import { inCall, inNewTrace, type Logger } from '@cobro/runtime'
import { LockMode } from '@mikro-orm/core'
import { lockTransaction } from '../transactions/settle-transaction.ts'
import { RefundEntity } from './refund-entity.ts'
import { settleRefund } from './settle-refund.ts'

interface Transfer {
  id: string
  /** Who says so, by the name that they gave. */
  by: string
}

/**
 * Writes down that somebody has transferred what the acquirer could not give back, and who: the refund is completed, as it would
 * be by the acquirer's word. How any other refund ends the acquirer says, so it is refused.
 */
export async function noteTransfer(
  { db, logger }: { db: Database; logger: Logger },
  { id, by }: Transfer,
): Promise<void> {
  const refund = await db.read(em => em.findOne(RefundEntity, { id }))
  if (!refund) throw new Error(`${id} is no refund that waits for a transfer.`)
  const { transaction_id, merchant_id, correlation_id, traceparent } = refund
  const call = { actor: { type: 'command', id: by }, merchant_id, correlation_id }
  await inNewTrace('transfer by hand', { links: [{ traceparent }] }, () =>
    inCall(call, async () => {
      await db.write(async (tx, emit) => {
        await lockTransaction(tx, transaction_id)
        // Of two who say so at once, the second has to hear that it was done: they may both have transferred it.
        const locked = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true }
        const { by_hand, status } = await tx.findOneOrFail(RefundEntity, { id }, locked)
        if (!by_hand) throw new Error(`${id} is no refund that waits for a transfer: it is ${status}.`)
        await settleRefund({ tx, emit, logger }, id, { status: 'completed', acquirer_reference: null })
      })
      // What an operator's command logs below this is not shown.
      logger.warn({ refund_id: id, transaction_id, by }, 'a transfer by hand is noted')
    }),
  )
}
