import type { Message } from '@cobro/contracts'
import { ApiError } from '@cobro/contracts'
import type { Database, Inbox } from '@cobro/database'
import { type CommandClient, type CommandResult, dispatch } from '@cobro/messaging'
import type { Logger } from '@cobro/runtime'
import { answerAttempt, type PaymentAnswer } from './answer-attempt.ts'
import type { AttemptRow } from './attempt-entity.ts'
import { answerWithinMs } from './attempt-limits.ts'
import { beginAttempt } from './begin-attempt.ts'
import { type CardDeps, prepareCharge } from './prepare-charge.ts'
import { prepareVoucher } from './prepare-voucher.ts'
import { failUnsentAttempt, settleAttempt } from './settle-attempt.ts'

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
export async function payPayable(deps: PayDeps, payableId: string, payment: Payment): Promise<PaymentAnswer> {
  const { payable, attempt, repeated } = await beginAttempt(deps.db, payableId, payment)
  if (repeated) return answerAttempt(deps.db, attempt)
  const command =
    payment.method === 'card'
      ? await prepareCharge(deps, payable, attempt, payment.card_jwe)
      : await prepareVoucher(deps.db, payable, attempt)
  const waitMs = attempt.created_at.getTime() + answerWithinMs - Date.now()
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
async function answerAfter(deps: PayDeps, attempt: AttemptRow, asked: CommandResult): Promise<PaymentAnswer> {
  try {
    if (asked.outcome === 'reply') await takeReply(deps, asked.reply)
    return await answerAttempt(deps.db, attempt)
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
    await dispatch({ 'payment_attempt.settled': outcome => settleAttempt(tx, emit, outcome) }, reply, undefined)
  })
}

function failUnsent(db: Database, attempt: AttemptRow): Promise<void> {
  return db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
}
