import { newPassword } from '@cobro/contracts'
import { shortestPassword } from './password.ts'

test('the API accepts passwords from this length on', () => {
  const isAccepted = (length: number) => newPassword.safeParse('x'.repeat(length)).success
  expect([isAccepted(shortestPassword - 1), isAccepted(shortestPassword)]).toEqual([false, true])
})
