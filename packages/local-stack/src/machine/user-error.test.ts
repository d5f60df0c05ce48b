import { describeFault, plainFault } from './user-error.ts'

test('a fault that explains itself is shown as its sentence', () => {
  expect(describeFault(plainFault('Port 4000 is in use.'))).toBe('Port 4000 is in use.')
})

test('a fault that nobody foresaw is shown with its stack', () => {
  expect(describeFault(new Error('odd'))).toMatch(/odd\n\s+at /)
})

test.each([
  'ENOSPC: no space left on device, write',
  'HINT:  Check free disk space.',
  'initdb: No space left on device',
])('a full disk is said in one sentence, wherever it was met: %s', message => {
  expect(describeFault(plainFault(message))).toBe('The disk is full: free some space and run the command again.')
})
