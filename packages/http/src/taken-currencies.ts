import { ApiError, currencyCode } from '@cobro/contracts'
import { commaList } from '@cobro/runtime'
import { z } from 'zod'
import type { Route } from './route.ts'

/** The setting that says which currencies a deployment takes. */
export const takenCurrencies = commaList
  .pipe(z.array(currencyCode).min(1))
  .default(['MXN', 'USD'])
  .describe('The currencies that are taken, each with two decimals')

/** Refuses a currency that the deployment does not take. */
export function refuseCurrency(currencies: readonly string[], currency: string | null | undefined): void {
  if (currency == null || currencies.includes(currency)) return
  throw new ApiError('invalid_request', `currency: expected one of ${currencies.join(', ')}`)
}

/** Routes whose calls are refused where their body names a currency that the deployment does not take. */
export function inCurrencies(currencies: readonly string[], routes: readonly Route[]): Route[] {
  return routes.map(({ operation, handle }) => ({
    operation,
    handle: async (call, response) => {
      refuseCurrency(currencies, (call as { body?: { currency?: string | null } }).body?.currency)
      return handle(call, response)
    },
  }))
}
