import { apiAddress, webAddress } from './hosted-address.ts'

test.each([
  ['/checkout/cs_01jz', '/hosted/v1/checkout/cs_01jz'],
  ['/checkout/cs_01jz/', '/hosted/v1/checkout/cs_01jz'],
  ['/links/pl_01jz', '/hosted/v1/links/pl_01jz'],
  ['/checkout/', undefined],
  ['/checkout/a/b', undefined],
  ['/constructor/cs_01jz', undefined],
  ['/', undefined],
])('finds the JSON behind %s: %s', (page, api) => {
  expect(apiAddress(page)).toBe(api)
})

test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'https://', '', null])(
  'rejects the redirect address %s',
  address => {
    expect(webAddress(address)).toBeUndefined()
  },
)

test('keeps an https return address unchanged', () => {
  expect(webAddress('https://shop.example/back?a=1')).toBe('https://shop.example/back?a=1')
})
