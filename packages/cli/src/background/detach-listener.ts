import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { identifyProcess } from '@cobro/local-stack/process-identity'
import { withLock } from '../connection/file-lock.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { tell } from '../output/print.ts'
import { type ListenerKey, listenerFiles, rememberListener, runningListeners } from './listeners.ts'

const readyMs = 60_000

/**
 * Starts `listen` in the background and waits until it is ready. Returns the exit code: that of the background process if it
 * fails before. A second one for the same receiver and with the same choices is not started.
 */
export async function detachListener(
  key: ListenerKey,
  { choices, quiet }: { choices: string; quiet: boolean },
): Promise<number> {
  const args = process.argv.slice(2).filter(arg => arg !== '--detach')
  const { file, log } = listenerFiles(key)
  const say = (message: string) => quiet || tell(message)
  const child = await withLock(`${file}.lock`, () => {
    const running = runningListeners().find(listener => listenerFiles(listener).file === file)
    if (running?.choices === choices) return undefined
    if (running) {
      const hint = 'Stop it first with: cobro listen --stop'
      const problem = `A listener for ${nameOf(key)} runs with other options.`
      throw new CommandError(problem, { exitCode: exitCodes.refused, hint })
    }
    const started = startInBackground(args, log)
    const identity = started.pid === undefined ? undefined : identifyProcess(started.pid)
    if (identity) rememberListener({ ...key, process: identity, choices, log })
    return started
  })
  if (!child) {
    say(`A listener for ${nameOf(key)} is running already. Log: ${log}. Stop it with: cobro listen --stop`)
    return exitCodes.done
  }
  const code = await untilReady(child)
  if (code !== exitCodes.done) {
    tell(readFileSync(log, 'utf8').trimEnd())
    return code
  }
  say(`Ready. Events of ${nameOf(key)} go on in the background.`)
  say(`Log: ${log}. Stop it with: cobro listen --stop`)
  return exitCodes.done
}

/** Says in the background process that the feed has answered. */
export function reportReady(): void {
  if (process.connected) process.send?.('ready', undefined, undefined, () => process.disconnect())
}

/** It runs for days: without limits, Node 24 keeps 290 MB after 10,000 events, of which it uses 15 MB; with these, 115 MB. */
const smallHeap = ['--max-semi-space-size=2', '--max-old-space-size=128']

function startInBackground(args: readonly string[], log: string): ChildProcess {
  const output = openSync(log, 'w', 0o600)
  try {
    return spawn(process.execPath, [...process.execArgv, ...smallHeap, process.argv[1] ?? '', ...args], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output, output, 'ipc'],
    })
  } finally {
    closeSync(output)
  }
}

/** Returns 0 once the process is ready, or its exit code if it ends before. */
async function untilReady(child: ChildProcess): Promise<number> {
  const settled = new AbortController()
  const end = () => child.kill()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  const late = setTimeout(end, readyMs)
  try {
    return await Promise.race([
      once(child, 'message', settled).then(() => exitCodes.done),
      once(child, 'exit', settled).then(([code]) => (typeof code === 'number' ? code : exitCodes.timeLimit)),
    ])
  } finally {
    settled.abort()
    clearTimeout(late)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
    if (child.connected) child.disconnect()
    child.unref()
  }
}

/** Returns how people call what is listened to. */
export function nameOf({ profile, forward_to }: ListenerKey): string {
  return forward_to === null ? `the profile ${profile}` : forward_to
}
