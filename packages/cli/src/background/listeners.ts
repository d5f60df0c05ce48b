import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from '@cobro/local-stack/process-identity'
import { shortHash, stateFolder } from '../connection/state-folder.ts'

/** What identifies a listener in the background: a profile has one for each receiver. */
export interface ListenerKey {
  profile: string
  base_url: string
  /** The receiver; `null` for a listener that writes into its log only. */
  forward_to: string | null
}

/** A `listen` that runs in the background. */
export interface Listener extends ListenerKey {
  process: ProcessIdentity
  /** What it was started with, to compare. */
  choices: string
  log: string
}

/** Returns the files of a listener, whose folder exists. Its log may have data of payers. */
export function listenerFiles({ profile, base_url, forward_to }: ListenerKey): { file: string; log: string } {
  const folder = stateFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `listener-${shortHash([profile, base_url, forward_to])}`)
  return { file: `${path}.json`, log: `${path}.log` }
}

/** Remembers a listener, so that other commands find it. */
export function rememberListener(listener: Listener): void {
  writeFileSync(listenerFiles(listener).file, JSON.stringify(listener), { mode: 0o600 })
}

/** Returns the listeners that run, and forgets the others. */
export function runningListeners(): Listener[] {
  const folder = stateFolder()
  return filesIn(folder).flatMap(name => {
    const path = join(folder, name)
    const listener = readListener(path)
    // The system gives the id of an ended process to another one, so its start time is compared too.
    if (listener && isRunning(listener.process)) return [listener]
    rmSync(path, { force: true })
    return []
  })
}

const stopMs = 10_000
const pollMs = 50

/** Ends a listener, and waits until it has ended. */
export async function stopListener(listener: Listener): Promise<void> {
  const { pid } = listener.process
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (isRunning(listener.process)) process.kill(pid, signal)
    for (const endsAt = Date.now() + stopMs; isRunning(listener.process) && Date.now() < endsAt; ) await sleep(pollMs)
  }
  rmSync(listenerFiles(listener).file, { force: true })
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => /^listener-.*\.json$/.test(name))
  } catch {
    return []
  }
}

function readListener(path: string): Listener | undefined {
  try {
    const listener: Partial<Listener> = JSON.parse(readFileSync(path, 'utf8'))
    return listener.process && Number.isSafeInteger(listener.process.pid) ? (listener as Listener) : undefined
  } catch {
    return undefined
  }
}
