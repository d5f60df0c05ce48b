import { Button } from 'react-aria-components'
import buttons from '../../parts/buttons.module.css'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import styles from './login.module.css'

/** Shows the recovery codes of a new second factor, once. */
export function RecoveryCodes({ codes, proceed }: { codes: readonly string[]; proceed: () => void }) {
  const texts = useTexts(loginTexts)
  return (
    <>
      <p className={styles.hint}>{texts.recoveryHint}</p>
      <ul className={styles.codes}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Button className={buttons.primary} autoFocus onPress={proceed}>
        {texts.stored}
      </Button>
    </>
  )
}
