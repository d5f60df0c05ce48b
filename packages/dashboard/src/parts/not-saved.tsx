import { isConflict } from '../api/use-preferences.ts'
import { useTexts } from '../text/locale.tsx'
import { preferencesTexts } from '../text/preferences-texts.ts'
import dialogs from './dialog.module.css'

/** Returns why preferences were not saved. */
export function useWhyNotSaved(error: unknown): string {
  const texts = useTexts(preferencesTexts)
  return isConflict(error) ? texts.conflict : texts.failed
}

/** Says why preferences were not saved, if they were not. */
export function NotSaved({ error }: { error: unknown }) {
  const why = useWhyNotSaved(error)
  if (!error) return null
  return (
    <p className={dialogs.problem} role="alert">
      {why}
    </p>
  )
}
