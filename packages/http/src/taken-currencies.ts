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
  return routes.map(({ operation, accept }) => ({
    operation,
    accept: incoming => {
      const execution = accept(incoming)
      if ('write' in execution) return execution
      return {
        ...execution,
        answer: async () => {
          refuseCurrency(currencies, currencyOf(execution.body))
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
