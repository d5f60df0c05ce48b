import { generate } from 'otplib'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'

const secret = newTotpSecret()
/** The first second of a half minute. */
const now = 1_795_000_020
const step = now / 30
const codeAt = (offset: number) => generate({ secret, epoch: now + offset })
const stepOf = async (offset: number, lastStep = 0) => totpStep(secret, await codeAt(offset), lastStep, now)

test.each([
  [-31, undefined],
  [-30, step - 1],
  [-1, step - 1],
  [0, step],
  [29, step],
  [30, step + 1],
  [60, undefined],
])('a code of %i seconds later belongs to the step %p', async (offset, expected) => {
  expect(await stepOf(offset)).toBe(expected)
})

test('a code is accepted once, and none before it afterwards', async () => {
  expect(await stepOf(0, step)).toBeUndefined()
  expect(await stepOf(-30, step)).toBeUndefined()
  expect(await stepOf(30, step)).toBe(step + 1)
  // Another replica's clock may be ahead.
  expect(await stepOf(0, step + 5)).toBeUndefined()
})

test('the code of another secret is not accepted', async () => {
  expect(await totpStep(newTotpSecret(), await codeAt(0), 0, now)).toBeUndefined()
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
