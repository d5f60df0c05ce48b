import { payerEmail, withoutEmail } from './payer-email.ts'

test.each([
  ['ana@example.com', 'ana@example.com'],
  ['  Ana.Lopez+Tienda@Example.COM ', 'ana.lopez+tienda@example.com'],
])('the e-mail address %j is compared as %j', (given, normalized) => {
  expect(payerEmail.parse(given)).toBe(normalized)
})

test.each(['', 'ana', 'ana@', '@example.com', 'ana@example', 'ana @example.com', 'ana@example.com, b@example.com'])(
  '%j is not an e-mail address',
  given => {
    expect(payerEmail.safeParse(given).error?.issues.map(({ message }) => message)).toContain(
      'expected an e-mail address',
    )
  },
)

test('an address is removed from texts at any depth, and similar addresses stay', () => {
  const metadata = {
    contact: 'ANA@example.com',
    note: 'Write to ana@example.com.',
    'ana@example.com': { list: ['<ana@example.com>', 7, null, true] },
    others: ['diana@example.com', 'ana+shop@example.com', 'ana@example.com.mx', 'x.ana@example.com', 'anaXexample.com'],
  }
  expect(withoutEmail(metadata, 'ana@example.com')).toEqual({
    contact: '[erased]',
    note: 'Write to [erased].',
    '[erased]': { list: ['<[erased]>', 7, null, true] },
    others: metadata.others,
  })
  expect(withoutEmail(null, 'ana@example.com')).toBeNull()
})
