import { setImmediate as turn } from 'node:timers/promises'
import { newId } from '@cobro/contracts'
import { currentCall, updateCallContext, withCallContext } from './call-context.ts'

const nobody = { request_id: null, actor: { type: 'system', id: null }, correlation_id: null, merchant_id: null }

test('outside of any call it is the system itself, and nothing can be learnt', () => {
  expect(currentCall()).toEqual(nobody)
  updateCallContext({ correlation_id: newId('corr') })
  expect(currentCall()).toEqual(nobody)
})

test('a call is known to all that it does, also later and in parallel', async () => {
  const seen = async (request_id: string) =>
    withCallContext({ request_id }, async () => {
      await turn()
      return Promise.all([currentCall().request_id, turn().then(() => currentCall().request_id)])
    })
  expect(await Promise.all([seen('req_1'), seen('req_2')])).toEqual([
    ['req_1', 'req_1'],
    ['req_2', 'req_2'],
  ])
  expect(currentCall()).toEqual(nobody)
})

test('what is learnt holds for the rest of the call, and for no other', async () => {
  const correlation_id = newId('corr')
  await withCallContext({ request_id: 'req_1' }, async () => {
    await turn().then(() => updateCallContext({ correlation_id, merchant_id: 'mrc_1' }))
    expect(currentCall()).toEqual({ ...nobody, request_id: 'req_1', correlation_id, merchant_id: 'mrc_1' })
    withCallContext({}, () => expect(currentCall()).toEqual(nobody))
  })
})

test('what a row does not say changes nothing', () => {
  const known = { correlation_id: newId('corr'), merchant_id: 'mrc_1' }
  withCallContext(known, () => {
    updateCallContext({ correlation_id: null, merchant_id: null })
    updateCallContext({})
    expect(currentCall()).toMatchObject(known)
  })
})

test('a call gives what its work gives, and fails as that fails', async () => {
  expect(withCallContext({}, () => 7)).toBe(7)
  await expect(withCallContext({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
