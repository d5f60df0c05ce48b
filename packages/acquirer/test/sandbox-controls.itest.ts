import { secret } from '@cobro/runtime'
import { AcquirerUnavailable, sandboxControls } from '../src/index.ts'
import { closeServers, respondingWith, type ScriptedResponse } from './scripted-server.ts'

afterEach(closeServers)

test.each([
  [200, 'done'],
  [404, 'not_found'],
  [409, 'conflict'],
])('translates status %i of the sandbox into %s', async (status, expected) => {
  const { url, requests } = await respondingWith([status, {}])
  const controls = sandboxControls({ url, apiKey: secret('acq_secret') })
  expect(await controls.payVoucher('93/1')).toBe(expected)
  expect(await controls.closeDispute('d1', 'won')).toBe(expected)
  expect(requests.map(({ line, body }) => [line, body])).toEqual([
    ['POST /v1/sandbox/vouchers/93%2F1/pay', '{}'],
    ['POST /v1/sandbox/disputes/d1/close', '{"outcome":"won"}'],
  ])
  await controls.close()
})

test('throws AcquirerUnavailable for any other response of the sandbox', async () => {
  const responses: ScriptedResponse[] = ['cut', [401, {}], [500, {}]]
  for (const response of responses) {
    const { url } = await respondingWith(response)
    const controls = sandboxControls({ url, apiKey: secret('acq_secret') })
    await expect(controls.payVoucher('1')).rejects.toBeInstanceOf(AcquirerUnavailable)
    await expect(controls.testCards()).rejects.toBeInstanceOf(AcquirerUnavailable)
    await controls.close()
  }
})

test('translates the outcome of a test card like that of a charge', async () => {
  const card = { number: '1', brand: 'visa', answer: 'prompt', disputed: false, refundable: true } as const
  const of = (status: string, response_code: string) => ({ ...card, status, response_code })
  const { url } = await respondingWith([
    200,
    { cards: [of('declined', '51'), of('declined', '96'), of('approved', '00')] },
  ])
  const controls = sandboxControls({ url, apiKey: secret('acq_secret') })
  expect(await controls.testCards()).toEqual([
    { ...card, status: 'declined', decline_reason: 'insufficient_funds' },
    { ...card, status: 'failed', decline_reason: null },
    { ...card, status: 'approved', decline_reason: null },
  ])
  await controls.close()
})
