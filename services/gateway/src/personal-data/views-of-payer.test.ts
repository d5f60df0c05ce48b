import { hasAddress } from './views-of-payer.ts'

const email = 'ana+shop@example.com'

test.each([
  ['Mine', 'search=ana%2Bshop%40example.com', true],
  ['Mine', 'status=paid&search=A-1,+Ana%2BShop@example.com', true],
  ['Of ana+shop@example.com', 'status=paid', true],
  ['Refunds of "ana+shop@example.com".', 'status=paid', true],
  ['Mine', 'metadata=%7B%22email%22%3A%22ana%2Bshop%40example.com%22%7D', true],
  ['Mine', 'search=mariana%2Bshop%40example.com', false],
  ['Mine', 'search=ana+shop%40example.com', false],
  ['Mine', 'status=paid', false],
])('the view %j with %j has the address: %j', (name, search, expected) => {
  expect(hasAddress({ name, search }, email)).toBe(expected)
})
