import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMe } from '../api/use-me.ts'
import { usePreferences } from '../api/use-preferences.ts'
import { isDialogOpen, useShortcutKeys, useShortcuts } from '../keys/use-shortcut.ts'
import { useCreateLink, useSections } from './sections.ts'
import type { useOverlay } from './use-overlay.ts'

/** The keys that work on every screen. Nothing fires while something is open, or about to be. */
export function useFrameShortcuts({ name, show }: Pick<ReturnType<typeof useOverlay>, 'name' | 'show'>): void {
  const { scope, may } = useMe()
  const navigate = useNavigate()
  const { data: preferences } = usePreferences()
  const sections = useSections()
  const createLink = useCreateLink()
  const mayFind = may('listTransactions')
  useShortcutKeys(preferences?.shortcuts === true && name === undefined)
  useShortcuts({
    '?': () => show('help'),
    'n l': createLink,
    ...Object.fromEntries(
      sections.flatMap(({ to, key }) =>
        key ? [[`g ${key}`, () => void navigate({ to, params: { scope }, search: {} })]] : [],
      ),
    ),
  })
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || !mayFind) return
      event.preventDefault()
      if (!isDialogOpen()) show('palette')
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [show, mayFind])
}
