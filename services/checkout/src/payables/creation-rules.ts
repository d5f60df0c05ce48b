import { ApiError, type Caller } from '@cobro/contracts'

/** What a deployment decides about sessions and links. */
export interface CreationRules {
  environment: 'sandbox' | 'production'
  currencies: readonly string[]
  hostedUrl: string
}

const minExpirySeconds = { sandbox: 1, production: 60 }

/** Refuses an expiry so soon that nobody could pay. Tests of a merchant's own may want one in the sandbox. */
export function rejectShortExpiry({ environment }: CreationRules, expiresIn: number | undefined): void {
  const least = minExpirySeconds[environment]
  if (expiresIn === undefined || expiresIn >= least) return
  throw new ApiError('invalid_request', `expires_in: expected at least ${least}, got ${expiresIn}`)
}

/** Refuses a disabled merchant, by the caller's identity and not by our copy: that one may be late. */
export function rejectDisabledMerchant(caller: Caller): void {
  if ('merchant_status' in caller && caller.merchant_status === 'disabled') {
    throw new ApiError('conflict', 'the merchant takes no payments at present')
  }
}
