import { setImmediate as turn } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { currentCall, inBackgroundCall, updateCallContext, withCallContext } from './call-context.ts'

const system = { request_id: null, actor: { type: 'system', id: null }, correlation_id: null, merchant_id: null }

test('outside of a call the actor is the system, and the call context cannot be updated', () => {
  expect(currentCall()).toEqual(system)
  updateCallContext({ correlation_id: newId('corr') })
  expect(currentCall()).toEqual(system)
})

test('a call context is available to all asynchronous work of its call, and parallel calls do not share it', async () => {
  const seen = async (request_id: string) =>
    withCallContext({ request_id }, async () => {
      await turn()
      return Promise.all([currentCall().request_id, turn().then(() => currentCall().request_id)])
    })
  expect(await Promise.all([seen('req_1'), seen('req_2')])).toEqual([
    ['req_1', 'req_1'],
    ['req_2', 'req_2'],
  ])
  expect(currentCall()).toEqual(system)
})

test('an update of the call context applies to the rest of the call and to no other call', async () => {
  const correlation_id = newId('corr')
  await withCallContext({ request_id: 'req_1' }, async () => {
    await turn().then(() => updateCallContext({ correlation_id, merchant_id: 'mrc_1' }))
    expect(currentCall()).toEqual({ ...system, request_id: 'req_1', correlation_id, merchant_id: 'mrc_1' })
    withCallContext({}, () => expect(currentCall()).toEqual(system))
  })
})

test('an update of the call context keeps the fields that it omits', () => {
  const known = { correlation_id: newId('corr'), merchant_id: 'mrc_1' }
  withCallContext(known, () => {
    updateCallContext({ correlation_id: null, merchant_id: null })
    updateCallContext({})
    expect(currentCall()).toMatchObject(known)
  })
})

test('withCallContext returns the result of its work and rejects with its error', async () => {
  expect(withCallContext({}, () => 7)).toBe(7)
  await expect(withCallContext({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})

test('background work on a row knows only the merchant and the lifecycle of its row, not the surrounding call', async () => {
  const row = { id: 'ref_1', merchant_id: 'mrc_1', correlation_id: newId('corr'), traceparent: null }
  await withCallContext({ request_id: 'req_1' }, async () => {
    const { merchant_id, correlation_id } = row
    const call = { request_id: null, actor: { type: 'system', id: null }, correlation_id, merchant_id }
    expect(await inBackgroundCall('check', row, currentCall)).toEqual(call)
    expect(await inBackgroundCall('check', { merchant_id }, currentCall)).toEqual({ ...call, correlation_id: null })
  })
})
