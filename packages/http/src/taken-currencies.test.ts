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
  const [route] = inCurrencies(['MXN'], [{ operation: {} as never, handle: async call => ({ got: call }) }])
  const handle = (call: object) => route?.handle(call as never, {} as never)
  expect(await handle({ body: { currency: 'MXN' } })).toEqual({ got: { body: { currency: 'MXN' } } })
  expect(await handle({ body: undefined })).toEqual({ got: { body: undefined } })
  await expect(handle({ body: { currency: 'EUR' } })).rejects.toThrow('currency: expected one of MXN')
})
