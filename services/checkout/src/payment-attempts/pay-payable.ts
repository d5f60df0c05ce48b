import { ApiError, type PayableId } from '@cobro/contracts'
import type { Inbox } from '@cobro/database'
import { type CommandClient, type CommandResult, dispatch, type ReplyHandlers } from '@cobro/messaging'
import { type Logger, timings } from '@cobro/runtime'
import { beginAttempt } from './begin-attempt.ts'
import { type CompletedAttempt, completeAttempt } from './complete-attempt.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'
import { type PaymentResponse, paymentResponse, readPaymentResponse } from './payment-response.ts'
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

interface ReplyContext {
  inbox: Inbox
  attempt: PaymentAttemptRow
  /** Set once the outcome in the reply is committed. */
  completed?: CompletedAttempt
}

const replyHandlers: ReplyHandlers<ReplyContext> = {
  // The reply is the event itself, with the same id, so that the inbox applies the first of the two only.
  'payment_attempt.settled': async (outcome, { id }, context) => {
    const { inbox, attempt } = context
    let completed: CompletedAttempt | undefined
    await inbox.once(id, async (tx, emit) => {
      completed = await completeAttempt(tx, emit, outcome, attempt.payable_id)
    })
    if (completed) context.completed = completed
  },
  // The outcome follows as an event.
  'payment_attempt.pending': async () => undefined,
}

/**
 * Pays a session or link: commits the attempt as `running`, sends the command to charge or to issue
 * a voucher, and answers from the committed outcome. If this process dies, the attempt is resolved later.
 */
export async function payPayable(deps: PayDeps, id: PayableId, payment: Payment): Promise<PaymentResponse> {
  const { payable, attempt, repeated } = await beginAttempt(deps.db, id, payment)
  if (repeated) return readPaymentResponse(deps.db, attempt)
  const command =
    payment.method === 'card'
      ? await prepareCharge(deps, payable, attempt, payment.card_jwe)
      : await prepareVoucher(deps.db, payable, attempt)
  const timeoutMs = attempt.created_at.getTime() + timings.response - Date.now()
  const result = await deps.commands.request(command, Math.max(timeoutMs, 0))
  if (result.outcome === 'not_sent') {
    await deps.db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
    throw new ApiError('unavailable')
  }
  return responseAfter(deps, attempt, result)
}

/**
 * Returns the response once the command may have been sent. From here on no error claims that
 * nothing happened: the outcome also arrives as an event, and the page reads it from the session or link.
 */
async function responseAfter(
  deps: PayDeps,
  attempt: PaymentAttemptRow,
  result: CommandResult,
): Promise<PaymentResponse> {
  const context: ReplyContext = { inbox: deps.inbox, attempt }
  try {
    if (result.outcome === 'reply') await dispatch(replyHandlers, result.reply, context)
    return context.completed ? paymentResponse(context.completed) : await readPaymentResponse(deps.db, attempt)
  } catch (error) {
    if (error instanceof ApiError) throw error
    deps.logger.error({ err: error }, 'the outcome of a payment could not be applied yet')
    return { status: 'pending' }
  }
}
