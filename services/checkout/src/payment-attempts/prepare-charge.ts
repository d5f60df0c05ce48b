import { type Acquirer, UnreadableCard } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import { commandMessage, type Emit, type Tx, updateRow } from '@cobro/database'
import type { Payable } from '../payables/payable.ts'
import { countStatement, type RuleCount, rulesOfCard } from '../velocity-rules/count-attempts.ts'
import { digestOfCard } from '../velocity-rules/velocity-subjects.ts'
import { discardAttempt } from './discard-attempt.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptCommand, attemptedEvent } from './payment-attempt-messages.ts'
import { refuseTooMany, type VelocityDeps } from './refuse-attempt.ts'

export interface CardDeps extends VelocityDeps {
  acquirer: Pick<Acquirer, 'tokenize'>
}

/** Exchanges the card for a token, stores its displayable parts, counts it, and returns the charge command. */
export async function prepareCharge(deps: CardDeps, payable: Payable, attempt: PaymentAttemptRow, jwe: string) {
  const { token, fingerprint, ...card } = await tokenize(deps, attempt, jwe)
  const stored = { card, card_fingerprint: digestOfCard(fingerprint) }
  Object.assign(attempt, stored)
  const store = async (tx: Tx, emit: Emit) => {
    const { payment_intent_id, number } = attempt
    updateRow(tx, PaymentAttemptEntity, { payment_intent_id, number }, stored)
    emit('payment.attempted', attemptedEvent(payable, attempt))
  }
  const count = () => countStatement(deps.db.schema, deps.limits, rulesOfCard, attempt)
  const { rows: counts } = await deps.db.writeThenRead<void, RuleCount>(store, count)
  await refuseTooMany(deps, attempt, counts)
  return commandMessage('payment.charge', { ...attemptCommand(payable, attempt), token, deadline: attempt.deadline })
}

async function tokenize({ db, acquirer }: CardDeps, attempt: PaymentAttemptRow, jwe: string) {
  try {
    const { payable_id, amount_cents, currency, payment_intent_id, number } = attempt
    const payment = { payable_id, amount_cents, currency, attempt: `${payment_intent_id}:${number}` }
    const { token, brand, last4, fingerprint } = await acquirer.tokenize(jwe, payment)
    return { token, brand, last4, fingerprint }
  } catch (cause) {
    if (cause instanceof UnreadableCard) {
      await discardAttempt(db, attempt)
      throw new ApiError(
        'invalid_request',
        'card_jwe: cannot be read, or was not encrypted for this payment a moment ago',
        { cause },
      )
    }
    await db.write((tx, emit) => failUnsentAttempt(tx, emit, attempt))
    throw new ApiError('processing_error', undefined, { cause })
  }
}
