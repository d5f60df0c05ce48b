import { newRecoveryCodes, recoveryCodeHash } from './recovery-codes.ts'

test('ten different codes in groups of four letters, none of which is mistaken for a digit', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){2}$/)
})

test.each(['K7PM-Q2XR-8HWD', 'k7pmq2xr8hwd', ' k7pm q2xr 8hwd\n'])('a recovery code may be typed as %j', typed => {
  expect(recoveryCodeHash(typed)).toBe(recoveryCodeHash('k7pm-q2xr-8hwd'))
  expect(recoveryCodeHash(`${typed}x`)).not.toBe(recoveryCodeHash(typed))
})
