import { generate } from 'otplib'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

const secret = newTotpSecret()
const now = Math.floor(Date.now() / 1000)
const step = Math.floor(now / 30)
const codeAt = (offset: number) => generate({ secret, epoch: now + offset })

test('the code of an app is accepted in its half minute, the one before and the one after', async () => {
  for (const [offset, expected] of [
    [-30, step - 1],
    [0, step],
    [30, step + 1],
  ] as const) {
    // The half minute may end while the test runs.
    expect([expected, expected + 1, expected - 1]).toContain(await totpStep(secret, await codeAt(offset), 0))
  }
  for (const offset of [-120, 120]) expect(await totpStep(secret, await codeAt(offset), 0)).toBeUndefined()
})

test('a code is accepted once, and none before it afterwards', async () => {
  const used = await totpStep(secret, await codeAt(0), 0)
  expect(await totpStep(secret, await codeAt(0), used ?? 0)).toBeUndefined()
  expect(await totpStep(secret, await codeAt(-30), used ?? 0)).toBeUndefined()
  expect(await totpStep(secret, await codeAt(0), step + 5)).toBeUndefined()
})

test('the code of another secret is not accepted', async () => {
  expect(await totpStep(newTotpSecret(), await codeAt(0), 0)).toBeUndefined()
})

test('the URI names the service, the user and the secret', () => {
  const uri = new URL(totpUri('ana+shop@example.com', secret))
  expect([uri.protocol, uri.hostname, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Cobro:ana+shop@example.com',
  ])
  expect(Object.fromEntries(uri.searchParams)).toMatchObject({ secret, issuer: 'Cobro' })
})
