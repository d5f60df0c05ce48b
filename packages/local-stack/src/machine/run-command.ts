import { execFile } from 'node:child_process'

/** What a finished command left behind. A command that could not be started has code -1. */
export interface CommandResult {
  ok: boolean
  code: number
  stdout: string
  stderr: string
}

/** Runs a command to its end and returns what it said; a failure is a result, not an exception. */
export function runCommand(
  command: string,
  args: string[],
  options: {
    timeoutMs?: number
    env?: NodeJS.ProcessEnv
    cwd?: string
    uid?: number
    gid?: number
    input?: string
  } = {},
): Promise<CommandResult> {
  const { timeoutMs, input, ...rest } = options
  return new Promise(resolve => {
    const child = execFile(
      command,
      args,
      { ...rest, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
        resolve({ ok: code === 0, code, stdout, stderr: stderr || (error?.message ?? '') })
      },
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })
}
