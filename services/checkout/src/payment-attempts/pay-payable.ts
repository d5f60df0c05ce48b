import { ApiError, type PayableId } from '@cobro/contracts'
import type { Reply } from '@cobro/http'
import { type CommandClient, type CommandResult, dispatch, type ReplyHandlers } from '@cobro/messaging'
import { type Logger, timings } from '@cobro/runtime'
import type { AttemptOutcomes, PayingCall } from './attempt-outcomes.ts'
import { beginAttempt } from './begin-attempt.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import { type PaymentResponse, paymentReply, paymentResponse, readPaymentResponse } from './payment-response.ts'
import { type CardDeps, prepareCharge } from './prepare-charge.ts'
import { prepareVoucher } from './prepare-voucher.ts'
import { refuseTooMany } from './refuse-attempt.ts'

export interface PayDeps extends CardDeps {
  outcomes: AttemptOutcomes
  commands: Pick<CommandClient, 'request'>
  logger: Logger
}

type Payment = ({ method: 'card'; card_jwe: string } | { method: 'cash' }) & {
  payer_email?: string | null | undefined
  amount_cents?: number | undefined
  idempotencyId?: string | undefined
  address?: string | undefined
}

interface ReplyContext {
  outcomes: AttemptOutcomes
  call: PayingCall
}

const replyHandlers: ReplyHandlers<ReplyContext> = {
  // The reply is the event itself, with the same id, so that the inbox applies the first of the two only.
  'payment_attempt.settled': (outcome, { id }, { outcomes, call }) => outcomes.applyReply(id, outcome, call),
  // The outcome follows as an event.
  'payment_attempt.pending': async () => undefined,
}

/**
 * Pays a session or link: commits the attempt as `running`, counts it for the rules against card testing, sends the command to charge or to issue
 * a voucher, and answers from the committed outcome. If this process dies, the attempt is resolved later.
 */
export async function payPayable(deps: PayDeps, id: PayableId, payment: Payment): Promise<Reply<PaymentResponse>> {
  const { payable, attempt, repeated, counts } = await beginAttempt(deps, id, payment)
  if (repeated) return paymentReply(await readPaymentResponse(deps.db, attempt))
  await refuseTooMany(deps, attempt, counts)
  const command =
    payment.method === 'card'
      ? await prepareCharge(deps, payable, attempt, payment.card_jwe)
      : await prepareVoucher(deps.db, payable, attempt)
  const call: PayingCall = { attempt }
  return deps.outcomes.awaiting(call, async completed => {
    const timeoutMs = attempt.created_at.getTime() + timings.response - Date.now()
    const result = await Promise.race([deps.commands.request(command, Math.max(timeoutMs, 0)), completed])
    if (result?.outcome === 'not_sent') {
      await deps.db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
      throw new ApiError('unavailable')
    }
    return replyAfter(deps, call, result)
  })
}

/**
 * Returns the reply once the command may have been sent. Without a result, an event has completed the attempt. From here on no error
 * claims that nothing happened: the outcome also arrives as an event, and the page reads it from the session or link.
 */
async function replyAfter(
  deps: PayDeps,
  call: PayingCall,
  result: CommandResult | undefined,
): Promise<Reply<PaymentResponse>> {
  try {
    if (result?.outcome === 'reply') await dispatch(replyHandlers, result.reply, { outcomes: deps.outcomes, call })
    const { completed, attempt } = call
    if (completed) return paymentReply(paymentResponse(completed), completed)
    return paymentReply(await readPaymentResponse(deps.db, attempt))
  } catch (error) {
    if (error instanceof ApiError) throw error
    deps.logger.error({ err: error }, 'the outcome of a payment could not be applied yet')
    return paymentReply({ status: 'pending' })
  }
}
