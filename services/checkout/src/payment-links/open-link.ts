import { ApiError, type Caller, type CreatePaymentLink, defaultCurrency, newId } from '@cobro/contracts'
import { type Database, newRow } from '@cobro/database'
import { updateCallContext } from '@cobro/runtime'
import { type CreationRules, checkCreation, newPayableFields } from '../payables/creation-rules.ts'
import { LinkEntity, type LinkRow } from '../payables/link-entity.ts'

const defaultExpiryMs = 30 * 86_400_000
const maxExpiryMs = 366 * 86_400_000

/** Creates a payment link for the caller's merchant. */
export function openLink(
  { db, rules }: { db: Database; rules: CreationRules },
  caller: Caller,
  input: CreatePaymentLink,
): Promise<LinkRow> {
  checkCreation(rules, caller, input)
  const now = new Date()
  const id = newId('pl')
  return db.write(async (tx, emit) => {
    const link = newRow(tx, LinkEntity, {
      ...newPayableFields(caller),
      id,
      url: new URL(`/links/${id}`, rules.hostedUrl).href,
      status: 'active',
      concepto: input.concepto,
      reference: input.reference ?? null,
      // The schema requires exactly one of the two.
      amount_cents: (input.amount_cents ?? input.amount) as number,
      currency: input.currency ?? defaultCurrency,
      payment_method_types: input.payment_method_types ?? ['card'],
      payer_email: input.payer_email ?? null,
      metadata: input.metadata ?? null,
      created_at: now,
      updated_at: now,
      expires_at: expiryFrom(input, now),
    })
    updateCallContext(link)
    emit('payment_link.created', link)
    return link
  })
}

function expiryFrom({ expires_at, expires_in }: CreatePaymentLink, now: Date): Date {
  if (expires_at) return checkedExpiry(expires_at, now)
  return new Date(now.getTime() + (expires_in === undefined ? defaultExpiryMs : expires_in * 1000))
}

/** Returns an expiry that is in the future and at most a year ahead, else throws. */
export function checkedExpiry(expires_at: Date, now: Date): Date {
  const aheadMs = expires_at.getTime() - now.getTime()
  if (aheadMs > 0 && aheadMs <= maxExpiryMs) return expires_at
  throw new ApiError('invalid_request', 'expires_at: expected a time ahead, at most a year')
}
