import { secret } from '@cobro/runtime'
import { seal, unseal } from './sealed.ts'

const key = (id: string, fill: number) => ({ id, bytes: secret(Buffer.alloc(32, fill)) })

test('a sealed secret is decrypted with its own key, also after the first key of the ring has changed', () => {
  const sealed = seal([key('a', 1)], 'whsec_ñ')
  expect(sealed).not.toContain('whsec')
  expect(unseal([key('b', 2), key('a', 1)], sealed)).toBe('whsec_ñ')
  expect(seal([key('a', 1)], 'whsec_ñ')).not.toBe(sealed)
})

test('unseal rejects a changed bit, a wrong key and a missing key', () => {
  const sealed = seal([key('a', 1)], 'secret')
  // Some bits of the last base64 character are unused, so change the one before it.
  const changed = sealed.at(-2) === 'A' ? 'B' : 'A'
  expect(() => unseal([key('a', 1)], sealed.slice(0, -2) + changed + sealed.slice(-1))).toThrow()
  expect(() => unseal([key('a', 2)], sealed)).toThrow()
  expect(() => unseal([key('b', 1)], sealed)).toThrow(/key a is not configured/)
})
