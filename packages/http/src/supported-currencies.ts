import { ApiError, currencyCode } from '@cobro/contracts'
import { commaList } from '@cobro/runtime'
import { z } from 'zod'
import type { Route } from './route.ts'

/** The setting CURRENCIES: the currencies that a deployment accepts. */
export const supportedCurrencies = commaList
  .pipe(z.array(currencyCode).min(1))
  .default(['MXN', 'USD'])
  .describe('The currencies that are accepted, each with two decimals')

/** Throws `invalid_request` for a currency that the deployment does not accept. */
export function checkCurrency(currencies: readonly string[], currency: string | null | undefined): void {
  if (currency == null || currencies.includes(currency)) return
  throw new ApiError('invalid_request', `currency: expected one of ${currencies.join(', ')}`)
}

/** Returns routes that reject bodies in a currency that the deployment does not accept. */
export function rejectOtherCurrencies(currencies: readonly string[], routes: readonly Route[]): Route[] {
  return routes.map(({ operation, accept }) => ({
    operation,
    accept: incoming => {
      const execution = accept(incoming)
      if ('write' in execution) return execution
      return {
        ...execution,
        answer: async () => {
          checkCurrency(currencies, currencyOf(execution.body))
          return execution.answer()
        },
      }
    },
  }))
}

function currencyOf(body: unknown): string | undefined {
  const named = typeof body === 'object' && body !== null && 'currency' in body
  return named && typeof body.currency === 'string' ? body.currency : undefined
}
