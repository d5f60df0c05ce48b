import { ApiError, type Caller, newId } from '@cobro/contracts'
import { merchantOf } from '@cobro/database'
import { checkCurrency } from '@cobro/http'
import { captureTrace, type Environment } from '@cobro/runtime'

/** A deployment's settings for new sessions and links. */
export interface CreationRules {
  environment: Environment
  currencies: readonly string[]
  hostedUrl: string
}

/** The sandbox allows one second, for merchants' own tests. */
const minExpirySeconds = { sandbox: 1, production: 60 }

/** Rejects a disabled merchant, an unaccepted currency, and an expiry without time to pay. */
export function checkCreation(
  { environment, currencies }: CreationRules,
  caller: Caller,
  { currency, expires_in }: { currency?: string | undefined; expires_in?: number | undefined },
): void {
  // By the caller's identity, because this service's copy of the merchant may be outdated.
  if ('merchant_status' in caller && caller.merchant_status === 'disabled') {
    throw new ApiError('conflict', 'the merchant takes no payments at present')
  }
  checkCurrency(currencies, currency)
  const min = minExpirySeconds[environment]
  if (expires_in === undefined || expires_in >= min) return
  throw new ApiError('invalid_request', `expires_in: expected at least ${min}, got ${expires_in}`)
}

/** Returns the fields of a new session or link that do not depend on the input. */
export function newPayableFields(caller: Caller) {
  return {
    merchant_id: merchantOf(caller),
    merchant_name: 'merchant_name' in caller ? (caller.merchant_name ?? '') : '',
    correlation_id: newId('corr'),
    traceparent: captureTrace().traceparent ?? null,
    payment_intent_id: newId('pi'),
    attempt_count: 0,
    decline_count: 0,
  }
}
