import { isId } from '@cobro/contracts'
import { type Database, lockRow } from '@cobro/database'
import { inNewTrace, type Logger, withCallContext } from '@cobro/runtime'
import { TransactionEntity } from '../transactions/transaction-entity.ts'
import { RefundEntity } from './refund-entity.ts'
import { resolveRefund } from './resolve-refund.ts'

/**
 * Records that a person, by the name that they gave, has transferred a manual refund, and completes
 * it as a report of the acquirer would. Throws for any other refund, because only the acquirer ends those.
 */
export async function recordTransfer(
  { db, logger }: { db: Database; logger: Logger },
  { id, by }: { id: string; by: string },
): Promise<void> {
  const refund = isId('rfd', id) ? await db.read(em => em.findOne(RefundEntity, { id })) : null
  if (!refund) throw new Error(`${id} is not a refund that is waiting for a transfer.`)
  const { transaction_id, merchant_id, correlation_id, traceparent } = refund
  const call = { actor: { type: 'command', id: by }, merchant_id, correlation_id }
  await inNewTrace('record manual refund', { links: [{ traceparent }] }, () =>
    withCallContext(call, async () => {
      await db.write(async (tx, emit) => {
        await lockRow(tx, TransactionEntity, transaction_id)
        // Of two concurrent confirmations the second must fail, because both people may have transferred the money.
        const { by_hand, status } = await lockRow(tx, RefundEntity, refund.id)
        if (!by_hand) throw new Error(`${id} is not a refund that is waiting for a transfer: it is ${status}.`)
        await resolveRefund({ tx, emit, logger }, refund.id, { status: 'completed', acquirer_reference: null })
      })
      // Operator commands print warnings and errors only.
      logger.warn({ refund_id: id, transaction_id, by }, 'recorded the transfer of a manual refund')
    }),
  )
}
