import { createHash } from 'node:crypto'
import { type Caller, type Operation, operations } from '@cobro/contracts'
import type { Request } from 'express'
import { keyedCall } from './idempotency-key.ts'

const operationOf = (id: string) => operations.find(one => one.id === id) as Operation
const merchant = { merchant_id: 'mrc_1', merchant_name: 'Café Azul', merchant_status: 'active' }
const key = { kind: 'key', id: 'key_1', ...merchant } as Caller
const client = { kind: 'client', id: 'usr_1', ...merchant } as Caller
const unscoped = (id: string) => ({ kind: 'operator', id, merchants: 'all' }) as Caller
const payer: Caller = { kind: 'payer' }

const requestOf = (headers: object, rest: object = {}) =>
  ({ headers, params: {}, path: '/api/webhooks', body: undefined, ...rest }) as Request
const idOf = (operation: string, caller: Caller, value = 'order-1', rest: object = {}) =>
  keyedCall(operationOf(operation), requestOf({ 'idempotency-key': value }, rest), caller)?.id

test('a call without an Idempotency-Key, or of an operation that accepts none, is not keyed', () => {
  expect(keyedCall(operationOf('createWebhook'), requestOf({}), key)).toBeUndefined()
  expect(idOf('login', payer)).toBeUndefined()
  expect(idOf('getWebhook', key)).toBeUndefined()
})

test.each(['', 'x'.repeat(256), 'ñ', 'a\tb', ['one', 'two']])('the Idempotency-Key %j is rejected', value => {
  const request = requestOf({ 'idempotency-key': value })
  expect(() => keyedCall(operationOf('createWebhook'), request, key)).toThrow(
    'invalid_request: Idempotency-Key: expected 1 to 255 printable ASCII characters',
  )
})

test('a card number is rejected as an Idempotency-Key', () => {
  expect(() => idOf('createWebhook', key, '4242 4242 4242 4242')).toThrow('Idempotency-Key: card numbers')
})

test.each(['x', ' ~', 'x'.repeat(255)])('the Idempotency-Key %j is accepted', value => {
  expect(idOf('createWebhook', key, value)).toMatch(/^[0-9a-f]{64}$/)
})

test('the same key of the same merchant means the same call, also from another caller', () => {
  expect(idOf('createWebhook', key)).toBe(idOf('createWebhook', client))
  expect(idOf('createWebhook', key)).not.toBe(idOf('createWebhook', { ...key, merchant_id: 'mrc_2' } as Caller))
})

test('another key, path or method means another call', () => {
  const ids = [
    idOf('createWebhook', key),
    idOf('createWebhook', key, 'order-2'),
    idOf('createWebhook', key, 'order-1', { path: '/api/sucursales' }),
  ]
  const put = { ...operationOf('createWebhook'), method: 'PUT' } as Operation
  expect(keyedCall(put, requestOf({ 'idempotency-key': 'order-1' }), key)).toBeUndefined()
  expect(new Set(ids).size).toBe(ids.length)
})

test('callers without a merchant have their own keys, and payers those of their session or link', () => {
  const ids = [
    idOf('createMerchant', unscoped('usr_1')),
    idOf('createMerchant', unscoped('usr_2')),
    idOf('createMerchant', payer),
    idOf('createMerchant', payer, 'order-1', { params: { id: 'cs_1' } }),
    idOf('createMerchant', payer, 'order-1', { params: { id: 'cs_2' } }),
    // The operation is not about one merchant, so the merchant of its caller does not matter.
    idOf('createMerchant', key),
  ]
  expect(new Set(ids).size).toBe(ids.length)
  const stating = (merchant_id: string | undefined) => ({ ...unscoped('usr_1'), merchant_id }) as Caller
  expect(idOf('createWebhook', stating(undefined))).toBe(idOf('createWebhook', unscoped('usr_1')))
  expect(idOf('createWebhook', stating('mrc_1'))).toBe(idOf('createWebhook', key))
  expect(idOf('createMerchant', { ...unscoped('usr_1'), merchant_id: 'mrc_1' } as Caller)).toBe(ids[0])
})

test('a keyed call carries the hash of its body, whether it needs a lease, and whether its response is secret', () => {
  const call = (operation: string, body?: Buffer) =>
    keyedCall(operationOf(operation), requestOf({ 'idempotency-key': 'order-1' }, { body }), payer)
  const sha256 = (data: string) => createHash('sha256').update(data).digest('hex')
  expect(call('createWebhook', Buffer.from('{}'))).toMatchObject({ lease: undefined, secret: true })
  expect(call('createSucursal', Buffer.from('{}'))).toMatchObject({
    body_hash: sha256('{}'),
    lease: undefined,
    secret: false,
  })
  expect(call('payHostedSession')).toMatchObject({ body_hash: sha256(''), lease: 'with_first_write', secret: false })
  expect(call('paySandboxVoucher')).toMatchObject({ lease: 'at_once' })
})

test('the body of a call whose response contains a secret is that of its caller alone', () => {
  const hashFor = (operation: string, caller: Caller) =>
    keyedCall(operationOf(operation), requestOf({ 'idempotency-key': 'order-1' }), caller)?.body_hash
  expect(hashFor('createWebhook', key)).not.toBe(hashFor('createWebhook', client))
  expect(hashFor('createWebhook', key)).toBe(hashFor('createWebhook', { ...key }))
  expect(hashFor('createSucursal', key)).toBe(hashFor('createSucursal', client))
})
