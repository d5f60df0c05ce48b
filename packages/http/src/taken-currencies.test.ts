import { docsOperations } from '@cobro/contracts'
import type { Request } from 'express'
import type { IncomingCall } from './check-call.ts'
import { page } from './route.ts'
import { inCurrencies, refuseCurrency, takenCurrencies } from './taken-currencies.ts'

test('a deployment says which currencies it takes, in upper case, and at least one', () => {
  expect(takenCurrencies.parse(undefined)).toEqual(['MXN', 'USD'])
  expect(takenCurrencies.parse('EUR, MXN')).toEqual(['EUR', 'MXN'])
  for (const wrong of ['', 'mxn', 'PESO']) expect(takenCurrencies.safeParse(wrong).success).toBe(false)
})

test('another currency is refused, naming those that are taken; none is none', () => {
  expect(() => refuseCurrency(['MXN', 'USD'], 'EUR')).toThrow('invalid_request: currency: expected one of MXN, USD')
  for (const fine of ['USD', null, undefined]) expect(() => refuseCurrency(['USD'], fine)).not.toThrow()
})

test('a route in currencies passes its call and answer on, and refuses before it is carried out', async () => {
  const { operation } = page(docsOperations.docs, async () => {})
  const accept = ({ request }: IncomingCall) => ({
    body: request.body,
    answer: async () => ({ status: 200, body: JSON.stringify(request.body ?? null) }),
  })
  const [route] = inCurrencies(['MXN'], [{ operation, accept }])
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
