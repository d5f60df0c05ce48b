import { payableOf, readPreviewedLink } from './previewed-link.ts'

const link = { merchant_name: 'Café Azul', amount_cents: 25_000, currency: 'MXN', concepto: 'Pastel', locale: 'es' }

test('a message of the dashboard is a link that the payer could pay for a day', () => {
  const read = readPreviewedLink(link)
  expect(read).toEqual(link)
  expect(payableOf(read!, 1_000)).toMatchObject({
    ...{ kind: 'link', status: 'pending', amount_total: 25_000, currency: 'MXN', merchant_name: 'Café Azul' },
    ...{ concepto: 'Pastel', now: 1_000, expires_at: 86_401_000, voucher: null },
  })
})

test.each([
  [null],
  ['link'],
  [{ ...link, currency: 'pesos' }],
  [{ ...link, amount_cents: '1' }],
  [{ ...link, concepto: undefined }],
])('%j is no link', message => {
  expect(readPreviewedLink(message)).toBeUndefined()
})
