import { docsOperations } from '@cobro/contracts'
import type { Request } from 'express'
import type { IncomingCall } from './check-call.ts'
import { page } from './route.ts'
import { checkCurrency, rejectOtherCurrencies, supportedCurrencies } from './supported-currencies.ts'

test('CURRENCIES lists at least one currency in upper case', () => {
  expect(supportedCurrencies.parse(undefined)).toEqual(['MXN', 'USD'])
  expect(supportedCurrencies.parse('EUR, MXN')).toEqual(['EUR', 'MXN'])
  for (const wrong of ['', 'mxn', 'PESO']) expect(supportedCurrencies.safeParse(wrong).success).toBe(false)
})

test('an unsupported currency is rejected with the supported ones named; an absent currency is accepted', () => {
  expect(() => checkCurrency(['MXN', 'USD'], 'EUR')).toThrow('invalid_request: currency: expected one of MXN, USD')
  for (const fine of ['USD', null, undefined]) expect(() => checkCurrency(['USD'], fine)).not.toThrow()
})

test('rejectOtherCurrencies rejects a call before it is executed and passes others through', async () => {
  const { operation } = page(docsOperations.docs, async () => {})
  const accept = ({ request }: IncomingCall) => ({
    body: request.body,
    answer: async () => ({ status: 200, body: JSON.stringify(request.body ?? null) }),
  })
  const [route] = rejectOtherCurrencies(['MXN'], [{ operation, accept }])
  const answerTo = async (body: unknown) => {
    const execution = route?.accept({
      request: { body } as Request,
      caller: { kind: 'payer' },
      idempotencyId: undefined,
    })
    return execution && 'answer' in execution ? execution.answer() : undefined
  }
  expect(await answerTo({ currency: 'MXN' })).toEqual({ status: 200, body: '{"currency":"MXN"}' })
  expect(await answerTo(undefined)).toEqual({ status: 200, body: 'null' })
  await expect(answerTo({ currency: 'EUR' })).rejects.toThrow('currency: expected one of MXN')
})
