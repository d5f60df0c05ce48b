import { type Acquirer, UnreadableCard } from '@cobro/acquirer'
import { ApiError } from '@cobro/contracts'
import { commandMessage, type Database } from '@cobro/database'
import type { Payable } from '../payables/payable.ts'
import { discardAttempt } from './discard-attempt.ts'
import { failUnsentAttempt } from './fail-unsent-attempt.ts'
import { PaymentAttemptEntity, type PaymentAttemptRow } from './payment-attempt-entity.ts'
import { attemptCommand, attemptedEvent } from './payment-attempt-messages.ts'

export interface CardDeps {
  db: Database
  acquirer: Pick<Acquirer, 'tokenize'>
}

/** Exchanges the card for a token, stores its displayable parts, and returns the charge command. */
export async function prepareCharge(deps: CardDeps, payable: Payable, attempt: PaymentAttemptRow, jwe: string) {
  const { token, ...card } = await tokenize(deps, attempt, jwe)
  attempt.card = card
  await deps.db.write(async (tx, emit) => {
    tx.getReference(PaymentAttemptEntity, [attempt.payment_intent_id, attempt.number]).card = card
    emit('payment.attempted', attemptedEvent(payable, attempt))
  })
  return commandMessage('payment.charge', { ...attemptCommand(payable, attempt), token, deadline: attempt.deadline })
}

async function tokenize({ db, acquirer }: CardDeps, attempt: PaymentAttemptRow, jwe: string) {
  try {
    const { payable_id, amount_cents, currency, payment_intent_id, number } = attempt
    const payment = { payable_id, amount_cents, currency, attempt: `${payment_intent_id}:${number}` }
    const { token, brand, last4 } = await acquirer.tokenize(jwe, payment)
    return { token, brand, last4 }
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
