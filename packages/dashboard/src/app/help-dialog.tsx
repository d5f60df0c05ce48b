import { useState } from 'react'
import { Button, Heading } from 'react-aria-components'
import { useMe } from '../api/use-me.ts'
import { useChangePreferences, usePreferences } from '../api/use-preferences.ts'
import buttons from '../parts/buttons.module.css'
import dialogs from '../parts/dialog.module.css'
import { NotSaved } from '../parts/not-saved.tsx'
import { useTexts } from '../text/locale.tsx'
import { overlayTexts } from '../text/overlay-texts.ts'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './overlays.module.css'
import { useCreateLink, useSections } from './sections.ts'

interface HelpProps {
  close: () => void
  showCalls: () => void
}

/** Lists the keys that the user can press, and lets them be switched off. */
export function HelpDialog({ close, showCalls }: HelpProps) {
  const texts = useTexts(overlayTexts)
  const shell = useTexts(shellTexts)
  const keys = useKeys()
  return (
    <>
      <Heading slot="title">{texts.keysTitle}</Heading>
      <AreKeysOn />
      <dl className={styles.keys}>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map(one => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={showCalls}>
          {shell.apiCalls}
        </Button>
        <Button className={buttons.primary} onPress={close}>
          {texts.close}
        </Button>
      </div>
    </>
  )
}

/** Returns keys, with a space between those that follow each other, and what they do. */
function useKeys(): [string, string][] {
  const { keys: texts } = useTexts(overlayTexts)
  const shell = useTexts(shellTexts)
  const { may } = useMe()
  const sections = useSections()
  const createLink = useCreateLink()
  return [
    ['Ctrl K', texts.find],
    ['/', texts.search],
    ['j k', texts.rows],
    ['Enter', texts.open],
    ['c', texts.copy],
    ...(may('refundTransaction') ? [['r', texts.refund] as [string, string]] : []),
    ...(may('exportTransactions') ? [['e', texts.export] as [string, string]] : []),
    ...(createLink ? [['n l', texts.newLink] as [string, string]] : []),
    ...sections.flatMap(({ key, text }): [string, string][] => (key ? [[`g ${key}`, texts.goTo(shell[text])]] : [])),
    ['?', texts.help],
  ]
}

/** Single keys are in the way of who speaks to the computer, or hits keys by accident. */
function AreKeysOn() {
  const texts = useTexts(overlayTexts)
  const { data: saved } = usePreferences()
  const { mutate, error } = useChangePreferences()
  // What was chosen is shown until it is saved, or was not.
  const [chosen, setChosen] = useState<boolean>()
  const choose = (shortcuts: boolean) => {
    setChosen(shortcuts)
    mutate(() => ({ shortcuts }), { onSettled: () => setChosen(undefined) })
  }
  return (
    <>
      <label className={styles.choice} aria-busy={chosen !== undefined}>
        <input
          type="checkbox"
          checked={chosen ?? saved?.shortcuts ?? true}
          disabled={!saved}
          onChange={({ target }) => choose(target.checked)}
        />
        {texts.areKeysOn}
      </label>
      <NotSaved error={error} />
    </>
  )
}
