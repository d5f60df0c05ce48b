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
      {/* Not the button: a second press of Enter would lose them. */}
      <ul className={styles.codes} tabIndex={-1} ref={list => list?.focus()}>
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <button type="button" className={buttons.primary} onClick={proceed}>
        {texts.stored}
      </button>
    </>
  )
}
