import type { Database } from '@cobro/database'
import { inCall, inNewTrace, type Logger } from '@cobro/runtime'
import { RefundEntity } from './refund-entity.ts'
import { settleRefund } from './settle-refund.ts'

/**
 * Writes down that somebody has transferred what the acquirer could not give back: the refund is completed, as it would be by the
 * acquirer's word. How any other refund ends the acquirer says, so it is refused.
 */
export async function noteTransfer({ db, logger }: { db: Database; logger: Logger }, id: string): Promise<void> {
  const refund = await db.read(em => em.findOne(RefundEntity, { id }))
  if (!refund?.by_hand) throw new Error(`${id} is no refund that waits for a transfer.`)
  const { merchant_id, correlation_id, traceparent } = refund
  await inNewTrace('transfer by hand', { links: [{ traceparent }] }, () =>
    inCall({ merchant_id, correlation_id }, () =>
      db.write((tx, emit) => settleRefund({ tx, emit, logger }, id, { status: 'completed', acquirer_reference: null })),
    ),
  )
}
