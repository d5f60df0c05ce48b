/** An error whose message says what the user has to do. It is printed without a stack trace. */
export class UserError extends Error {
  override name = 'UserError'
}

export const userError = (message: string, cause?: unknown) => new UserError(message, { cause })

const noSpace = /No space left on device|ENOSPC|Check free disk space/

/** Formats an error for the terminal: a UserError's message, a hint for a full disk, or a stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stack = error.stack ?? error.message
  if (noSpace.test(stack)) return 'The disk is full: free some space and run the command again.'
  return error instanceof UserError ? error.message : stack
}
