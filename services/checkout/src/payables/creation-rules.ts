import { ApiError, type Caller } from '@cobro/contracts'

/** A deployment's settings for new sessions and links. */
export interface CreationRules {
  environment: 'sandbox' | 'production'
  currencies: readonly string[]
  hostedUrl: string
}

const minExpirySeconds = { sandbox: 1, production: 60 }

/** Rejects an expiry that leaves no time to pay. The sandbox allows one second, for merchants' own tests. */
export function rejectShortExpiry({ environment }: CreationRules, expiresIn: number | undefined): void {
  const min = minExpirySeconds[environment]
  if (expiresIn === undefined || expiresIn >= min) return
  throw new ApiError('invalid_request', `expires_in: expected at least ${min}, got ${expiresIn}`)
}

/** Rejects a disabled merchant by the caller's identity, because this service's copy of the merchant may be outdated. */
export function rejectDisabledMerchant(caller: Caller): void {
  if ('merchant_status' in caller && caller.merchant_status === 'disabled') {
    throw new ApiError('conflict', 'the merchant takes no payments at present')
  }
}
