import { secret } from '@cobro/runtime'
import { seal, unseal } from './sealed.ts'

const key = (id: string, fill: number) => ({ id, bytes: secret(Buffer.alloc(32, fill)) })

test('a sealed secret opens under its own key, also after another became current', () => {
  const sealed = seal([key('a', 1)], 'whsec_ñ')
  expect(sealed).not.toContain('whsec')
  expect(unseal([key('b', 2), key('a', 1)], sealed)).toBe('whsec_ñ')
  expect(seal([key('a', 1)], 'whsec_ñ')).not.toBe(sealed)
})

test('refuses a changed bit, a wrong key and a key that is gone', () => {
  const sealed = seal([key('a', 1)], 'secret')
  // All but the last character stand for six bits each; some of the last one's stand for nothing.
  const changed = sealed.at(-2) === 'A' ? 'B' : 'A'
  expect(() => unseal([key('a', 1)], sealed.slice(0, -2) + changed + sealed.slice(-1))).toThrow()
  expect(() => unseal([key('a', 2)], sealed)).toThrow()
  expect(() => unseal([key('b', 1)], sealed)).toThrow(/key a is not configured/)
})
