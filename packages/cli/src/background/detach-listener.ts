import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { identifyProcess } from '@cobro/local-stack/process-identity'
import { CommandError, exitCodes } from '../output/failures.ts'
import { tell } from '../output/print.ts'
import { limitLog } from './limit-log.ts'
import {
  type ListenerKey,
  listenerFiles,
  rememberListener,
  runningListeners,
  stopListeners,
  withListeners,
} from './listeners.ts'
import { nameOf, stopCommand } from './stop-command.ts'

const readyMs = 60_000

interface Detaching {
  /** What the listener is started with; another one for the same receiver has to have the same. */
  choices: string
  /** Whether the start is named, which a listener that runs already does not go back to. */
  hasStart: boolean
  quiet: boolean
}

/**
 * Starts `listen` in the background and waits until it is ready. Returns the exit code: that of the background process if it
 * fails before. A second one for the same receiver and with the same choices is not started.
 */
export async function detachListener(key: ListenerKey, detaching: Detaching): Promise<number> {
  const { log } = listenerFiles(key)
  const say = (message: string) => detaching.quiet || tell(message)
  if (!identifyProcess(process.pid)) {
    throw new CommandError('This system does not say when a process started, so that --stop could end another one.', {
      hint: 'Listen without --detach.',
    })
  }
  const child = await withListeners(() => startOnce(key, detaching))
  if (!child) {
    say(`A listener for ${nameOf(key)} is running already. Log: ${log}. Stop it with: ${stopCommand(key)}`)
    return exitCodes.done
  }
  const code = await untilReady(child)
  if (code !== exitCodes.done) {
    // A --stop at the same time has deleted it.
    if (existsSync(log)) tell(readFileSync(log, 'utf8').trimEnd())
    if (code === exitCodes.timeLimit) tell(`The event feed did not answer within ${readyMs / 1_000} s.`)
    await stopListeners(({ process: { pid } }) => pid === child.pid)
    return code
  }
  say(`Ready. Events of ${nameOf(key)} go on in the background.`)
  say(`Log: ${log}. Stop it with: ${stopCommand(key)}`)
  return exitCodes.done
}

/** Returns the process that it started; undefined if there is one already. */
function startOnce(key: ListenerKey, { choices, hasStart }: Detaching): ChildProcess | undefined {
  const { file, log } = listenerFiles(key)
  const running = runningListeners().find(listener => listenerFiles(listener).file === file)
  if (running && (hasStart || running.choices !== choices)) {
    const isSame = running.choices === choices
    const problem = `A listener for ${nameOf(key)} runs ${isSame ? 'already, and keeps its position' : 'with other options'}.`
    throw new CommandError(problem, { exitCode: exitCodes.refused, hint: `Stop it first with: ${stopCommand(key)}` })
  }
  if (running) return undefined
  const child = startInBackground(
    process.argv.slice(2).filter(arg => arg !== '--detach'),
    log,
  )
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid)
  if (identity) rememberListener({ ...key, process: identity, choices, log })
  else child.kill()
  return child
}

/** Says in the background process that the feed has answered. */
export function reportReady(): void {
  if (!process.connected) return
  limitLog()
  process.send?.('ready', undefined, undefined, () => process.disconnect())
}

/** It runs for days: without limits, Node 24 keeps 290 MB after 10,000 events, of which it uses 15 MB; with these, 115 MB. */
const smallHeap = ['--max-semi-space-size=2', '--max-old-space-size=128']

function startInBackground(args: readonly string[], log: string): ChildProcess {
  rmSync(log, { force: true })
  // It appends, so that the file can be emptied when it is large.
  const output = openSync(log, 'a', 0o600)
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

/** Returns 0 once the process is ready, its exit code if it ends before, or that of the time limit. */
async function untilReady(child: ChildProcess): Promise<number> {
  const settled = new AbortController()
  let otherwise: number = exitCodes.interrupted
  const end = () => child.kill()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
  const late = setTimeout(() => {
    otherwise = exitCodes.timeLimit
    end()
  }, readyMs)
  try {
    return await Promise.race([
      once(child, 'message', settled).then(() => exitCodes.done),
      // It ends with the code of an interruption, or without one, when it is stopped here.
      once(child, 'exit', settled).then(([code]) =>
        code === null || code === exitCodes.interrupted ? otherwise : code,
      ),
    ])
  } finally {
    settled.abort()
    clearTimeout(late)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end)
    if (child.connected) child.disconnect()
    child.unref()
  }
}
