import { ApiError, type Caller, type CreateCheckoutSession, defaultCurrency, newId } from '@cobro/contracts'
import { type Database, newRow } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { type CreationRules, checkCreation, newPayableFields } from '../payables/creation-rules.ts'
import { SessionEntity, type SessionRow } from '../payables/session-entity.ts'
import { nextPaymentId } from './payment-ids.ts'
import { sessionAmount } from './session-amount.ts'

const defaultExpirySeconds = 86_400

/** Opens a hosted checkout session for the caller's merchant. */
export async function openSession(
  { db, rules }: { db: Database; rules: CreationRules },
  caller: Caller,
  input: CreateCheckoutSession,
): Promise<SessionRow> {
  checkCreation(rules, caller, input)
  rejectPlainHttp(rules, input)
  const id = newId('cs')
  const amount_total = sessionAmount(input)
  // Read before the transaction, so that the session and its event are all that it executes.
  const payment_id = await nextPaymentId(db)
  return db.write(async (tx, emit) => {
    const session = newRow(tx, SessionEntity, {
      ...newPayableFields(caller),
      ...fieldsOf(input),
      ...timesOf(input),
      id,
      amount_total,
      payment_id,
      url: new URL(`/checkout/${id}`, rules.hostedUrl).href,
      status: 'pending',
      transaction_status: 'Pending',
      session_type: 'payment',
      checkout_type: 'hosted',
      ui_config_version: 'V1',
    })
    updateCallContext(session)
    emit('checkout_session.created', session)
    return session
  })
}

function fieldsOf(input: CreateCheckoutSession) {
  return {
    currency: input.currency ?? defaultCurrency,
    external_id: input.external_id ?? null,
    return_url: input.return_url ?? null,
    success_url: input.success_url ?? null,
    cancel_url: input.cancel_url ?? null,
    metadata: input.metadata ?? null,
    payment_method_types: input.payment_method_types ?? (['card'] satisfies SessionRow['payment_method_types']),
    ui_config: input.ui_config ?? null,
    customer: input.customer ?? null,
    customer_email: input.customer?.email ?? null,
    line_items: input.line_items ?? [],
  }
}

function timesOf(input: CreateCheckoutSession) {
  const now = new Date()
  const expires_at = new Date(now.getTime() + (input.expires_in ?? defaultExpirySeconds) * 1000)
  return { created_at: now, modified_at: now, expires_at }
}

function rejectPlainHttp({ environment }: CreationRules, input: CreateCheckoutSession): void {
  if (environment !== 'production') return
  for (const field of ['return_url', 'success_url', 'cancel_url'] as const) {
    if (input[field]?.toLowerCase().startsWith('http:'))
      throw new ApiError('invalid_request', `${field}: expected an https URL`)
  }
}
