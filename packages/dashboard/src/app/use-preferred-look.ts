import { useEffect } from 'react'
import { storeZone, usePreferences } from '../api/use-preferences.ts'
import { applyTheme } from '../look/theme.ts'
import { useLocale } from '../text/locale.tsx'

/** Shows this page as the user prefers it, and stores that in this browser for the next first paint. */
export function usePreferredLook(): void {
  const { data: preferences } = usePreferences()
  const { choose } = useLocale()
  useEffect(() => {
    if (!preferences) return
    applyTheme(preferences.theme)
    if (preferences.locale) choose(preferences.locale)
    storeZone(preferences.timezone)
  }, [preferences, choose])
}
