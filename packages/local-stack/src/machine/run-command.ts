import { execFile } from 'node:child_process'

/** The result of a command. `code` is -1 if the command could not be started. */
export interface CommandResult {
  ok: boolean
  code: number
  stdout: string
  stderr: string
}

/** Runs a command and returns its exit code and output. Does not throw if the command fails. */
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
