import type { Locale } from '@cobro/look/locales'
import type { Theme } from '@cobro/sdk/admin'
import { useMe } from '../../api/use-me.ts'
import { useChangePreferences, usePreferences } from '../../api/use-preferences.ts'
import { applyTheme } from '../../look/theme.ts'
import { NotSaved } from '../../parts/not-saved.tsx'
import { Failed } from '../../parts/states.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { preferencesTexts } from '../../text/preferences-texts.ts'
import styles from './account.module.css'

/** Language, theme and time zone. Each choice is shown at once, and saved for all browsers of the user. */
export function PreferencesForm() {
  const texts = useTexts(preferencesTexts)
  const { locale, choose } = useLocale()
  const { me } = useMe()
  const { data: saved, error: unread, refetch } = usePreferences()
  const { mutate, error, isPending, variables } = useChangePreferences()
  if (unread && !saved) return <Failed error={unread} retry={() => void refetch()} />
  const shown = saved && isPending ? { ...saved, ...variables(saved) } : saved
  const zone = shown?.timezone ?? ''
  return (
    <>
      <Choice
        label={texts.language}
        value={shown && locale}
        words={texts.languages}
        choose={(next: Locale) => {
          choose(next)
          mutate(() => ({ locale: next }))
        }}
      />
      <Choice
        label={texts.theme}
        value={shown?.theme}
        words={texts.themes}
        choose={(next: Theme) => {
          applyTheme(next)
          mutate(() => ({ theme: next }))
        }}
      />
      <Choice
        label={texts.timezone}
        value={shown && zone}
        words={{ '': texts.ofMerchant(me?.merchant?.timezone), UTC: 'UTC', ...(zone && { [zone]: zone }) }}
        choose={next => mutate(() => ({ timezone: next || null }))}
      />
      <NotSaved error={error} />
    </>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  /** Undefined until it is known. */
  value: Value | undefined
  words: Readonly<Record<Value, string>>
  choose: (value: Value) => void
}

function Choice<Value extends string>({ label, value, words, choose }: ChoiceProps<Value>) {
  return (
    <label className={styles.choice}>
      {label}
      <select
        value={value ?? ''}
        disabled={value === undefined}
        onChange={event => choose(event.target.value as Value)}
      >
        {Object.entries<string>(words).map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
