/** An error whose message says what the operator has to do. It is printed without a stack trace. */
export class CommandError extends Error {}

/** Formats an error for the terminal: a CommandError's or UserError's message, or else a stack. */
export function formatCommandError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The local stack's UserError. Its class cannot be imported, because the ops image does not contain that package.
  return error instanceof CommandError || error.name === 'UserError' ? error.message : `${error.stack}`
}
