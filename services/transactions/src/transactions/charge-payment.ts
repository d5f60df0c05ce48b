import type { Acquirer } from '@cobro/acquirer'
import type { CommandData, Message } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { acquirerKey } from './acquirer-key.ts'
import { admitAttempt } from './admit-attempt.ts'
import type { ChargeBatches } from './charge-batches.ts'
import type { ChargeResult } from './settle-transaction.ts'
import { pendingAnswer } from './tell-settled.ts'

export interface ChargeDeps {
  db: Database
  acquirer: Acquirer
}

/** What charges are written by, besides. */
export interface ChargingDeps extends ChargeDeps {
  batches: ChargeBatches
}

/**
 * Carries out `payment.charge`. Only an attempt that nobody had heard of is charged, and only before its deadline; one that
 * is known is never charged again but asked about. Gives the answer: the outcome's message, or that it is pending.
 */
export async function chargePayment(deps: ChargingDeps, command: CommandData<'payment.charge'>): Promise<Message> {
  const { token, deadline, ...attempt } = command
  const late = deadline.getTime() <= Date.now()
  const { row, made, settled } = await (late ? admitAttempt(deps.db, attempt, 'failed') : deps.batches.admit(attempt))
  if (settled) return settled
  const key = acquirerKey(row)
  const outcome: ChargeResult = made
    ? await deps.acquirer.charge({ key, token, amount_cents: row.amount_cents, currency: row.currency })
    : await deps.acquirer.findCharge(key)
  return (await deps.batches.settle(row.id, outcome)) ?? pendingAnswer(row)
}
