/** A fault that its message explains well enough: one sentence that says what to do, shown without a stack. */
export interface UserError extends Error {
  plain: true
}

/** Makes an error for somebody who runs a command, not for somebody who reads the code. */
export const userError = (message: string, cause?: unknown): UserError =>
  Object.assign(new Error(message, { cause }), { plain: true as const })

const noSpace = /No space left on device|ENOSPC|Check free disk space/

/** What is shown of an error: the sentence alone where it is one, everything where nobody foresaw it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const whole = `${error.stack ?? error.message}`
  if (noSpace.test(whole)) return 'The disk is full: free some space and run the command again.'
  return 'plain' in error ? error.message : whole
}
