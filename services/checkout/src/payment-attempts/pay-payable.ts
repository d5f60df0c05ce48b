import type { Message } from '@cobro/contracts'
import { ApiError } from '@cobro/contracts'
import type { Database, Inbox } from '@cobro/database'
import { type CommandClient, type CommandResult, dispatch } from '@cobro/messaging'
import type { Logger } from '@cobro/runtime'
import { beginAttempt } from './begin-attempt.ts'
import { completeAttempt, failUnsentAttempt } from './complete-attempt.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'
import { responseTimeoutMs } from './payment-limits.ts'
import { type PaymentResponse, paymentResponse } from './payment-response.ts'
import { type CardDeps, prepareCharge } from './prepare-charge.ts'
import { prepareVoucher } from './prepare-voucher.ts'

export interface PayDeps extends CardDeps {
  inbox: Inbox
  commands: CommandClient
  logger: Logger
}

type Payment = ({ method: 'card'; card_jwe: string } | { method: 'cash' }) & {
  payer_email?: string | null | undefined
  amount_cents?: number | undefined
  idempotencyId?: string | undefined
}

/**
 * Pays a session or link: the attempt is committed as running, the charge or the voucher is commanded, and the payer is
 * answered from what is committed. Whatever breaks on the way, the attempt's row is what later work starts from.
 */
export async function payPayable(deps: PayDeps, payableId: string, payment: Payment): Promise<PaymentResponse> {
  const { payable, attempt, repeated } = await beginAttempt(deps.db, payableId, payment)
  if (repeated) return paymentResponse(deps.db, attempt)
  const command =
    payment.method === 'card'
      ? await prepareCharge(deps, payable, attempt, payment.card_jwe)
      : await prepareVoucher(deps.db, payable, attempt)
  const waitMs = attempt.created_at.getTime() + responseTimeoutMs - Date.now()
  const asked = await deps.commands.request(command, Math.max(waitMs, 0))
  if (asked.outcome === 'not_sent') {
    await failUnsent(deps.db, attempt)
    throw new ApiError('unavailable')
  }
  return answerAfter(deps, attempt, asked)
}

/**
 * The answer once the command is on its way. Whatever fails from here on, the payer is not told that nothing happened:
 * the outcome is an event too, and the page learns it from the session or link.
 */
async function answerAfter(deps: PayDeps, attempt: PaymentAttemptRow, asked: CommandResult): Promise<PaymentResponse> {
  try {
    if (asked.outcome === 'reply') await takeReply(deps, asked.reply)
    return await paymentResponse(deps.db, attempt)
  } catch (error) {
    if (error instanceof ApiError) throw error
    deps.logger.error({ err: error }, 'the outcome of a payment could not be taken over yet')
    return { status: 'pending' }
  }
}

/** The reply is the event itself, under the same id: the inbox lets only the first of the two have its effect. */
async function takeReply({ inbox }: PayDeps, reply: Message): Promise<void> {
  if (reply.name !== 'payment_attempt.settled') return
  await inbox.once(reply.id, async (tx, emit) => {
    await dispatch({ 'payment_attempt.settled': outcome => completeAttempt(tx, emit, outcome) }, reply, undefined)
  })
}

function failUnsent(db: Database, attempt: PaymentAttemptRow): Promise<void> {
  return db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
}
