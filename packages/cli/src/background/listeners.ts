import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from '@cobro/local-stack/process-identity'
import { withLock } from '../connection/file-lock.ts'
import { shortHash, stateFolder } from '../connection/state-folder.ts'
import { writeWhole } from '../connection/write-whole.ts'

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

/** Runs work while no other command starts or stops listeners. */
export function withListeners<T>(work: () => T | Promise<T>): Promise<T> {
  return withLock(join(stateFolder(), 'listeners.lock'), work)
}

/** Remembers a listener, so that other commands find it. */
export function rememberListener(listener: Listener): void {
  writeWhole(listenerFiles(listener).file, JSON.stringify(listener))
}

/** Returns the listeners that run. */
export function runningListeners(): Listener[] {
  // The system gives the id of an ended process to another one, so its start time is compared too.
  return storedListeners().filter(listener => isRunning(listener.process))
}

/** Ends the chosen listeners and waits until they have ended. Forgets them and those that ended before, with their logs. */
export function stopListeners(isChosen: (listener: Listener) => boolean): Promise<Listener[]> {
  return withListeners(async () => {
    const chosen = storedListeners().filter(isChosen)
    const running = chosen.filter(listener => isRunning(listener.process))
    await Promise.all(running.map(end))
    for (const listener of chosen) if (!isRunning(listener.process)) forget(listener)
    return running
  })
}

const stopMs = 10_000
const pollMs = 50

async function end({ process: identity }: Listener): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isRunning(identity)) return
    send(signal, identity.pid)
    for (const endsAt = Date.now() + stopMs; isRunning(identity) && Date.now() < endsAt; ) await sleep(pollMs)
  }
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function forget(listener: Listener): void {
  const { file, log } = listenerFiles(listener)
  // A command that was suspended for minutes has lost its lock, and another one may have started a new listener.
  if (readListener(file)?.process.startedAt !== listener.process.startedAt) return
  for (const path of [file, log]) rmSync(path, { force: true })
}

function storedListeners(): Listener[] {
  const folder = stateFolder()
  return filesIn(folder).flatMap(name => readListener(join(folder, name)) ?? [])
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
    const { pid = 0, startedAt } = listener.process ?? {}
    return Number.isSafeInteger(pid) && pid > 0 && startedAt ? (listener as Listener) : undefined
  } catch {
    return undefined
  }
}
