import { publicLookup } from './ssrf-guard.ts'

/** Looks up a hostname that resolves to these addresses, as Node does before it connects. */
const lookUp = (addresses: string[]) =>
  new Promise((resolve, reject) =>
    publicLookup(async () => addresses)('shop.example', { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  )

test('the SSRF guard connects to the public addresses that it checked, of both families', async () => {
  expect(await lookUp(['93.184.215.14', '2606:4700::1111'])).toEqual([
    { address: '93.184.215.14', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ])
})

test('the SSRF guard connects to no address of a hostname that also has a private one', async () => {
  await expect(lookUp(['93.184.215.14', '10.0.0.1'])).rejects.toThrow('shop.example is not a public address')
})
