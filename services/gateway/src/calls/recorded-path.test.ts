import { newId, operations } from '@cobro/contracts'
import { recordedPath, targetIdOf } from './recorded-path.ts'

const session = newId('cs')
const terminal = newId('trm')
const key = `vk_test_${'aZ09'.repeat(8)}1b2C3d`

test.each([
  ['/health', '/health'],
  ['/api/transactions?search=secret', '/api/transactions'],
  ['/a#b', '/a'],
  ['/pay/4242424242424242', '/pay/[card]'],
  ['/pay/4242%204242%204242%204242/x', '/pay/[card]/x'],
  ['/pay/%34242424242424242', '/pay/[card]'],
  ['/bad%escape', '/bad%escape'],
  ['/a/%ff/4929%208710%204352%206684', '/a/%ff/[card]'],
  ['/%/%34929871043526684', '/%/[card]'],
  ['/a/%ff%34929871043526684', '/a/%ff[card]'],
  ['/a/%ff/whsec%5FC2FVsBQIhrscChlQIMV+b5sSYspob7oD', '/a/%ff/[secret]'],
  [`/a/%/${key.replaceAll('_', '%5F')}/x`, '/a/%/[secret]/x'],
  ['*', '*'],
  ['/pay/4242.4242.4242.4242', '/pay/[card]'],
  ['/pay/4242%C2%A04242%E2%80%934242%094242', '/pay/[card]'],
  [`/pay/${Buffer.from('４２４２４２４２４２４２４２４２').toString('latin1')}`, '/pay/[card]'],
  ['/pay/42424242424242421228', '/pay/[card]1228'],
  [`/checkout/v1/sessions/${key}`, '/checkout/v1/sessions/[secret]'],
  [`/api/${key}/x?a=b`, '/api/[secret]/x'],
  [`/api/vk_live_${'a'.repeat(38)}`, '/api/[secret]'],
  [`/api/${key.replaceAll('_', '%5F')}`, '/api/[secret]'],
  [`/api/users/vst_${'aZ0-'.repeat(10)}_b9/x`, '/api/users/[secret]/x'],
  [`/api/vrt%5F${'aZ0-'.repeat(10)}_b9`, '/api/[secret]'],
  ['/api/webhooks/whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/x=', '/api/webhooks/[secret]'],
  ['/api/whsec_C2FVsBQIhrsc%2FhlQIMV%3D/4242424242424242', '/api/[secret]'],
  ['/api/eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3IifQ.c2ln/x', '/api/[secret]/x'],
  ['/api/webhooks/vk_test', '/api/webhooks/vk_test'],
  ['http://user:pw@evil/health', 'http://evil/health'],
  ['HTTPS://user:p%2Fw@evil/a@b', 'HTTPS://evil/a@b'],
  ['//user:pw@evil/health', '//evil/health'],
  ['user:pw@evil:443', 'evil:443'],
  ['http://evil/a@b', 'http://evil/a@b'],
  ['/a@b/c', '/a@b/c'],
])('records the request target %s as %s', (target, expected) => {
  expect(recordedPath(target)).toBe(expected)
})

test('cuts a recorded path at 256 characters before it is searched', () => {
  for (const part of ['6-', '4242424242424242/', '%34%32', '%']) {
    const path = recordedPath(`/${part.repeat(4_000)}`)
    expect(path.length).toBeLessThanOrEqual(256)
    expect(path.replaceAll('[card]', '')).not.toMatch(/(?:42){4}/)
  }
})

test('removes a password before it cuts the path', () => {
  expect(recordedPath(`http://user:${'x'.repeat(5_000)}@evil/health`)).toBe('http://evil/health')
})

test('cuts a recorded path at 256 characters', () => {
  expect(recordedPath(`/${'a'.repeat(10_000)}`)).toHaveLength(256)
})

test.each([
  [`/checkout/v1/sessions/${session}`, session],
  [`/hosted/v1/checkout/${session}/payments?x=1`, session],
  [`/api/terminales/${terminal}/link`, terminal],
  ['/api/terminales', null],
  ['/api/terminales/trm_short', null],
  ['/api/constructor_x', null],
  [`/api/transactions?id=${session}`, null],
])('the target id of %s is %s', (target, expected) => {
  expect(targetIdOf(target)).toBe(expected)
})

test.each(operations)('records the id in the path $path of $id as its target', ({ path }) => {
  const target = path.replace(':id', session).replace(/:\w+/, 'style.css')
  expect(targetIdOf(target)).toBe(path.includes(':id') ? session : null)
})

test.each([`/no/such/path/${session}`, `/checkout/v1/sessions/${session}/`, `/docs/${session}`])(
  'records no target for %s, whose path is not that of an operation on an object',
  target => {
    expect(targetIdOf(target)).toBeNull()
  },
)
