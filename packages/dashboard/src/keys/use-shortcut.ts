import { useEffect, useRef } from 'react'
import { isPlain, matchOf } from './shortcuts.ts'

/** What the keys of a shortcut do; undefined where they do nothing at present. */
type Action = (() => void) | undefined

const actions = new Map<string, Action>()

/** How long the first key of two waits for the second. */
const patienceMs = 1_500
/** Where keys are text, or have a meaning of their own. */
const busyPlaces = 'input, textarea, select, [contenteditable], [role=listbox], [role=menu]'
const dialogs = '[role=dialog], [role=alertdialog], dialog[open]'

/** Returns whether a dialog is open, which may show something once or hold what was typed. */
export const isDialogOpen = (): boolean => document.querySelector(dialogs) !== null

/** Gives keys such as `r` or `g p` a meaning while the component is shown. */
export function useShortcuts(shortcuts: Readonly<Record<string, Action>>): void {
  const newest = useRef(shortcuts)
  useEffect(() => {
    newest.current = shortcuts
  })
  // Texts, as every rendering makes new functions.
  const known = JSON.stringify(Object.keys(shortcuts).filter(keys => shortcuts[keys]))
  useEffect(() => {
    const added = (JSON.parse(known) as string[]).map(keys => [keys, () => newest.current[keys]?.()] as const)
    for (const [keys, action] of added) actions.set(keys, action)
    return () => {
      for (const [keys, action] of added) if (actions.get(keys) === action) actions.delete(keys)
    }
  }, [known])
}

/** Gives one key, or two after each other, a meaning while the component is shown. */
export const useShortcut = (keys: string, action: Action): void => useShortcuts({ [keys]: action })

/** Listens for shortcuts. None fires in a field, in a dialog or while one is open. */
export function useShortcutKeys(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined
    let before = { pending: '', at: 0 }
    const press = (event: KeyboardEvent) => {
      // Of a character that needs it.
      if (event.key === 'Shift') return
      const pending = event.timeStamp - before.at < patienceMs ? before.pending : ''
      before = { pending: '', at: event.timeStamp }
      if (event.defaultPrevented || !isPlain(event) || isBusy(event.target)) return
      const match = matchOf([...actions.keys()], pending, event)
      before.pending = match.pending
      if (match.keys === undefined) return
      // The field that `/` goes to would take it as text.
      event.preventDefault()
      actions.get(match.keys)?.()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOn])
}

function isBusy(target: EventTarget | null): boolean {
  return (target instanceof Element && target.closest(busyPlaces) !== null) || isDialogOpen()
}
