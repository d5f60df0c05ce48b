import { useSyncExternalStore } from 'react'

const shownMs = 2_000

let said = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function set(text: string): void {
  said = text
  for (const listener of listeners) listener()
}

/** Says for a moment what a key has done, where nothing else on the screen shows it. */
export function say(text: string): void {
  clearTimeout(timer)
  set(text)
  timer = setTimeout(() => set(''), shownMs)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns what is said at present. */
export const useSaid = (): string => useSyncExternalStore(subscribe, () => said)
