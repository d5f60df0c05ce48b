import { setTimeout as sleep } from 'node:timers/promises'
import { WebhookCall } from './webhook-call.ts'

const limits = { timeoutMs: 20, maxBodyBytes: 4 }
const newController = () => ({ abort: jest.fn(), pause: jest.fn(), resume: jest.fn() }) as never as Controller
type Controller = Parameters<WebhookCall['onRequestStart']>[0]

test('a request whose connection takes longer than the timeout is not sent', async () => {
  const call = new WebhookCall(limits)
  await expect(call.received).rejects.toMatchObject({ name: 'TimeoutError' })
  const controller = newController()
  call.onRequestStart(controller)
  expect(controller.abort).toHaveBeenCalledWith(expect.objectContaining({ name: 'TimeoutError' }))
})

test('a response that ended in time is not aborted by the timeout', async () => {
  const call = new WebhookCall(limits)
  const controller = newController()
  call.onRequestStart(controller)
  call.onResponseStart(controller, 103, {})
  call.onResponseStart(controller, 200, {})
  call.onResponseData(controller, Buffer.from('ok'))
  call.onResponseEnd()
  expect(await call.received).toEqual({ statusCode: 200, headers: {}, body: Buffer.from('ok') })
  await sleep(2 * limits.timeoutMs)
  expect(controller.abort).not.toHaveBeenCalled()
})

test('a body of the largest size is enough, and the rest is aborted as no failure', async () => {
  const call = new WebhookCall(limits)
  const controller = newController()
  call.onRequestStart(controller)
  call.onResponseStart(controller, 200, {})
  for (const chunk of ['abc', 'def', 'ghi']) call.onResponseData(controller, Buffer.from(chunk))
  expect((await call.received).body.toString()).toBe('abcdef')
  await new Promise(setImmediate)
  expect(controller.abort).toHaveBeenCalledWith(expect.objectContaining({ name: 'AbortError' }))
})
