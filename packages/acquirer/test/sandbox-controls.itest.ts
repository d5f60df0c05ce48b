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
    await controls.close()
  }
})
