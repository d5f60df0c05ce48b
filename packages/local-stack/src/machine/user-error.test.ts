import { describeError, userError } from './user-error.ts'

test('formats a user error as its message', () => {
  expect(describeError(userError('Port 4000 is in use.'))).toBe('Port 4000 is in use.')
})

test('formats an unexpected error with its stack trace', () => {
  expect(describeError(new Error('odd'))).toMatch(/odd\n\s+at /)
})

test.each([
  'ENOSPC: no space left on device, write',
  'HINT:  Check free disk space.',
  'initdb: No space left on device',
])('explains a full disk in one sentence when the error is: %s', message => {
  expect(describeError(userError(message))).toBe('The disk is full: free some space and run the command again.')
})
