import { type Acquirer, UnreadableCard } from '@cobro/acquirer'
import { ApiError, type DeclineReason, declineReasons, type Message } from '@cobro/contracts'
import { commandMessage, type Database, type Inbox } from '@cobro/database'
import { type Asked, type Asker, dispatch } from '@cobro/messaging'
import type { Logger } from '@cobro/runtime'
import { redirectUrl } from '../checkout-sessions/session-redirect.ts'
import { isLink, type Payable, payableEntity } from '../payables/payable.ts'
import { attemptCommand } from './attempt-command.ts'
import { AttemptEntity, type AttemptRow } from './attempt-entity.ts'
import { answerWithinMs } from './attempt-limits.ts'
import { beginAttempt, forgetAttempt } from './begin-attempt.ts'
import { failUnsentAttempt, settleAttempt } from './settle-attempt.ts'

export interface PayDeps {
  db: Database
  inbox: Inbox
  acquirer: Acquirer
  asker: Asker
  logger: Logger
}

interface CardPayment {
  card_jwe: string
  payer_email?: string | null | undefined
  amount_cents?: number | undefined
  idempotencyId?: string | undefined
}

type Answer = { status: 'approved'; redirect_url?: string } | { status: 'pending' }

/** Reasons that would tell a thief what the issuer knows. The transaction keeps the true one. */
const hiddenReasons = new Set<DeclineReason>(['lost_card', 'stolen_card', 'suspected_fraud'])

/**
 * Pays a session or link by card: the attempt is committed as running, the card becomes a token, the charge is commanded, and the
 * payer is answered from what is committed. Whatever breaks on the way, the attempt's row is what later work starts from.
 */
export async function payPayable(deps: PayDeps, payableId: string, payment: CardPayment): Promise<Answer> {
  const { payable, attempt, repeated } = await beginAttempt(deps.db, payableId, payment)
  if (repeated) return answerFrom(deps.db, attempt)
  const card = await tokenize(deps, attempt, payment.card_jwe)
  await noteCard(deps.db, payable, attempt, card)
  const command = commandMessage('payment.charge', {
    ...attemptCommand(payable, attempt),
    token: card.token,
    deadline: attempt.deadline,
  })
  const waitMs = attempt.created_at.getTime() + answerWithinMs - Date.now()
  const asked = await deps.asker.ask(command, Math.max(waitMs, 0))
  if (asked.outcome === 'not_sent') {
    await failUnsent(deps.db, attempt)
    throw new ApiError('unavailable')
  }
  return answerAfter(deps, attempt, asked)
}

/**
 * The answer once the charge is on its way. Whatever fails from here on, the payer is not told that nothing was charged:
 * the outcome is an event too, and the page learns it from the session.
 */
async function answerAfter(deps: PayDeps, attempt: AttemptRow, asked: Asked): Promise<Answer> {
  try {
    if (asked.outcome === 'reply') await takeReply(deps, asked.reply)
    return await answerFrom(deps.db, attempt)
  } catch (error) {
    if (error instanceof ApiError) throw error
    deps.logger.error({ err: error }, 'the outcome of a payment could not be taken over yet')
    return { status: 'pending' }
  }
}

async function tokenize(deps: PayDeps, attempt: AttemptRow, jwe: string) {
  try {
    return await deps.acquirer.tokenize(jwe)
  } catch (cause) {
    if (cause instanceof UnreadableCard) {
      await forgetAttempt(deps.db, attempt)
      throw new ApiError('invalid_request', 'card_jwe: cannot be decrypted or read', { cause })
    }
    await failUnsent(deps.db, attempt)
    throw new ApiError('processing_error', undefined, { cause })
  }
}

function noteCard(
  db: Database,
  payable: Payable,
  attempt: AttemptRow,
  card: NonNullable<AttemptRow['card']>,
): Promise<void> {
  const { brand, last4, exp_month, exp_year } = card
  attempt.card = { brand, last4, exp_month, exp_year }
  return db.write(async (tx, emit) => {
    const { payment_intent_id, number } = attempt
    await tx.nativeUpdate(AttemptEntity, { payment_intent_id, number }, { card: attempt.card ?? null })
    const { id, merchant_id, correlation_id, currency } = payable
    const about = { merchant_id, correlation_id }
    emit(
      'payment.attempted',
      { id, attempt: number, amount_cents: attempt.amount_cents, currency, card: { brand, last4 } },
      about,
    )
  })
}

/** The reply is the event itself, under the same id: the inbox lets only the first of the two have its effect. */
async function takeReply({ inbox }: PayDeps, reply: Message): Promise<void> {
  if (reply.name !== 'payment_attempt.settled') return
  await inbox.once(reply.id, async (tx, emit) => {
    await dispatch({ [reply.name]: (outcome: never) => settleAttempt(tx, emit, outcome) }, reply, undefined)
  })
}

function failUnsent(db: Database, attempt: AttemptRow): Promise<void> {
  return db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
}

async function answerFrom(db: Database, { payment_intent_id, number, payable_id }: AttemptRow): Promise<Answer> {
  const attempt = await db.read(em => em.findOne(AttemptEntity, { payment_intent_id, number }))
  if (!attempt || attempt.status === 'running') return { status: 'pending' }
  if (attempt.status === 'failed') throw new ApiError('processing_error')
  if (attempt.status === 'declined') throw new ApiError(shownReason(attempt.decline_reason))
  const payable = await db.read(em => em.findOne(payableEntity(payable_id), { id: payable_id }))
  const redirect = payable && !isLink(payable) && redirectUrl(payable)
  return { status: 'approved', ...(redirect ? { redirect_url: redirect } : {}) }
}

function shownReason(reason: AttemptRow['decline_reason']): DeclineReason {
  const known = declineReasons.find(one => one === reason)
  return known === undefined || hiddenReasons.has(known) ? 'card_declined' : known
}
