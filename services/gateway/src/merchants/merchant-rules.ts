import { ApiError } from '@cobro/contracts'

/** What a deployment decides about merchants. */
export interface MerchantRules {
  currencies: readonly string[]
}

/** Refuses a currency that the deployment does not take. */
export function refuseCurrency({ currencies }: MerchantRules, currency: string | undefined): void {
  if (currency === undefined || currencies.includes(currency)) return
  throw new ApiError('invalid_request', `currency: expected one of ${currencies.join(', ')}`)
}
