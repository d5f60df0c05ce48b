import { ApiError, type PayableId } from '@cobro/contracts'
import type { Inbox } from '@cobro/database'
import { type CommandClient, type CommandResult, dispatch, type ReplyHandlers } from '@cobro/messaging'
import { type Logger, timings } from '@cobro/runtime'
import { rulesBeforeCard } from '../velocity-rules/count-attempts.ts'
import type { VelocityLimits } from '../velocity-rules/velocity-settings.ts'
import { beginAttempt } from './begin-attempt.ts'
import { type CompletedAttempt, completeAttempt } from './complete-attempt.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import type { PaymentAttemptRow } from './payment-attempt-entity.ts'
import { type PaymentResponse, paymentResponse, readPaymentResponse } from './payment-response.ts'
import { type CardDeps, prepareCharge } from './prepare-charge.ts'
import { prepareVoucher } from './prepare-voucher.ts'
import { refuseTooMany } from './refuse-attempt.ts'

export interface PayDeps extends CardDeps {
  inbox: Inbox
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
  inbox: Inbox
  limits: VelocityLimits
  attempt: PaymentAttemptRow
  /** Set once the outcome in the reply is committed. */
  completed?: CompletedAttempt
}

const replyHandlers: ReplyHandlers<ReplyContext> = {
  // The reply is the event itself, with the same id, so that the inbox applies the first of the two only.
  'payment_attempt.settled': async (outcome, { id }, context) => {
    const { inbox, attempt, limits } = context
    let completed: CompletedAttempt | undefined
    await inbox.once(id, async (tx, emit) => {
      completed = await completeAttempt(tx, emit, outcome, { payableId: attempt.payable_id, limits })
    })
    if (completed) context.completed = completed
  },
  // The outcome follows as an event.
  'payment_attempt.pending': async () => undefined,
}

/**
 * Pays a session or link: commits the attempt as `running`, counts it for the rules against card testing, sends the command to charge or to issue
 * a voucher, and answers from the committed outcome. If this process dies, the attempt is resolved later.
 */
export async function payPayable(deps: PayDeps, id: PayableId, payment: Payment): Promise<PaymentResponse> {
  const { payable, attempt, repeated } = await beginAttempt(deps.db, id, payment)
  if (repeated) return readPaymentResponse(deps.db, attempt)
  await refuseTooMany(deps, attempt, rulesBeforeCard)
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
  const context: ReplyContext = { inbox: deps.inbox, attempt, limits: deps.limits }
  try {
    if (result.outcome === 'reply') await dispatch(replyHandlers, result.reply, context)
    return context.completed ? paymentResponse(context.completed) : await readPaymentResponse(deps.db, attempt)
  } catch (error) {
    if (error instanceof ApiError) throw error
    deps.logger.error({ err: error }, 'the outcome of a payment could not be applied yet')
    return { status: 'pending' }
  }
}
