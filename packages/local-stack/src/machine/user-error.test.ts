import { describeError, userError } from './user-error.ts'

test('a fault that explains itself is shown as its sentence', () => {
  expect(describeError(userError('Port 4000 is in use.'))).toBe('Port 4000 is in use.')
})

test('a fault that nobody foresaw is shown with its stack', () => {
  expect(describeError(new Error('odd'))).toMatch(/odd\n\s+at /)
})

test.each([
  'ENOSPC: no space left on device, write',
  'HINT:  Check free disk space.',
  'initdb: No space left on device',
])('a full disk is said in one sentence, wherever it was met: %s', message => {
  expect(describeError(userError(message))).toBe('The disk is full: free some space and run the command again.')
})
