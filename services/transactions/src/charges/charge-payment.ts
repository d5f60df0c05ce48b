import type { CommandData, Message } from '@cobro/contracts'
import type { AcquirerDeps } from '../acquirer/acquirer-deps.ts'
import { admitAttempt } from '../payment-attempts/admit-attempt.ts'
import { pendingReply } from '../payment-attempts/attempt-resolution.ts'
import { acquirerKey } from '../transactions/acquirer-key.ts'
import type { ChargeBatches } from './charge-batches.ts'
import type { ChargeReport } from './charge-states.ts'

export interface ChargeDeps extends AcquirerDeps {
  batches: ChargeBatches
}

/**
 * Carries out `payment.charge`: charges an attempt that was unknown, before its deadline.
 * Otherwise asks the acquirer for its outcome. Returns the message with the outcome, or that it is pending.
 */
export async function chargePayment(deps: ChargeDeps, command: CommandData<'payment.charge'>): Promise<Message> {
  const { token, deadline, ...attempt } = command
  const late = deadline.getTime() <= Date.now()
  const admitted = await (late ? admitAttempt(deps.db, attempt, 'failed') : deps.batches.admit(attempt))
  const { row, created, resolution } = admitted
  if (resolution) return resolution
  const key = acquirerKey(row)
  const report: ChargeReport = created
    ? await deps.acquirer.charge({ key, token, amount_cents: row.amount_cents, currency: row.currency })
    : await deps.acquirer.findCharge(key)
  return (await deps.batches.resolve(row, report)) ?? pendingReply(attempt)
}
