import {
  AbortedError,
  ApiError,
  AuthenticationError,
  ConnectionError,
  ForbiddenError,
  TimeoutError,
  UnavailableError,
} from '@cobro/sdk'

/** The exit codes of all commands. */
export const exitCodes = {
  done: 0,
  /** The API refused it, or the card was declined. */
  refused: 1,
  usage: 2,
  credentials: 3,
  unreachable: 4,
  timeLimit: 5,
  interrupted: 130,
} as const

/** A failure with a message for the person at the terminal, and the exit code. */
export class CommandError extends Error {
  readonly exitCode: number
  /** What to try next. */
  readonly hint: string | undefined

  constructor(message: string, options: { exitCode?: number; hint?: string } = {}) {
    super(message)
    this.exitCode = options.exitCode ?? exitCodes.usage
    this.hint = options.hint
  }
}

/** Returns the exit code and the lines to print for a failure. */
export function describeFailure(error: unknown): { exitCode: number; lines: string[] } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, lines: linesOf(error.message, error.hint) }
  if (error instanceof AuthenticationError) {
    const hint = 'Log in with: cobro login'
    return { exitCode: exitCodes.credentials, lines: linesOf('The API does not know this credential.', hint) }
  }
  if (error instanceof ApiError) return describeApiError(error)
  if (error instanceof AbortedError || (error instanceof Error && error.name === 'AbortError'))
    return { exitCode: exitCodes.interrupted, lines: ['Interrupted.'] }
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const problem = `Cannot reach the API: ${codeOf(error) ?? error.message}.`
    return { exitCode: exitCodes.unreachable, lines: linesOf(problem, repeatHint(error)) }
  }
  // The SDK throws these for arguments that cannot be right.
  const isUsage = error instanceof TypeError || error instanceof RangeError
  const exitCode = isUsage ? exitCodes.usage : exitCodes.refused
  return { exitCode, lines: [error instanceof Error ? error.message : String(error)] }
}

function describeApiError(error: ApiError): { exitCode: number; lines: string[] } {
  const { code, detail, requestId } = error
  const isAway = error instanceof UnavailableError || error.code === 'timeout'
  const hint = error instanceof ForbiddenError ? hintOf(error) : undefined
  return {
    exitCode: isAway ? exitCodes.unreachable : exitCodes.refused,
    lines: linesOf(
      detail ? `${code}: ${detail}` : code,
      requestId && `Request id: ${requestId}`,
      hint,
      repeatHint(error),
    ),
  }
}

function hintOf({ code }: ForbiddenError): string {
  if (code === 'confirmation_required') return 'Confirm your login with: cobro confirm'
  return 'See what this credential may do with: cobro me'
}

function repeatHint({ outcomeUnknown, idempotencyKey }: ApiError | ConnectionError): string | undefined {
  if (!outcomeUnknown || idempotencyKey === undefined) return undefined
  return `It may have been done. Repeat it safely with: --idempotency-key ${idempotencyKey}`
}

function linesOf(...lines: (string | undefined)[]): string[] {
  return lines.filter(line => line !== undefined)
}

function codeOf({ cause }: Error): string | undefined {
  const inner = cause instanceof Error ? cause.cause : undefined
  return inner instanceof Error && 'code' in inner ? String(inner.code) : undefined
}
