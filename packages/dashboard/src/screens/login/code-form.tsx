import { lazy, Suspense, useState } from 'react'
import { session } from '../../api/browser-session.ts'
import { LoginError } from '../../api/login-calls.ts'
import buttons from '../../parts/buttons.module.css'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import styles from './login.module.css'
import { LoginField } from './login-field.tsx'
import { useSubmit } from './use-submit.ts'

/** A factor that is being set up: its key for the user's app, also as an address to scan. */
export interface NewFactor {
  secret: string
  uri: string
}

/** What says that the password was right, until a time on this browser's clock. */
export interface PasswordProof {
  mfaToken: string
  endsAtMs: number
}

// Few need it, once.
const FactorQr = lazy(async () => ({ default: (await import('../../parts/factor-qr.tsx')).FactorQr }))

interface CodeFormProps {
  proof: PasswordProof
  factor: NewFactor | undefined
  back: () => void
  /** Called instead of a wrong code once the password has to be typed again. */
  late: () => void
  showCodes: (codes: string[], proceed: () => void) => void
}

export function CodeForm({ proof, factor, back, late, showCodes }: CodeFormProps) {
  const texts = useTexts(loginTexts)
  const [code, setCode] = useState('')
  const { submit, problem } = useSubmit(async () => {
    try {
      const answered = await session.logInWithCode({ mfa_token: proof.mfaToken, code: code.trim() })
      if (answered) showCodes(answered.recoveryCodes, answered.proceed)
    } catch (error) {
      const isRejected = error instanceof LoginError && error.status === 401
      if (!isRejected || Date.now() < proof.endsAtMs) throw error
      late()
    }
  }, texts.wrongCode)
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {factor && (
        <Suspense fallback={null}>
          <FactorQr factor={factor} />
        </Suspense>
      )}
      <p className={styles.hint}>{factor ? texts.factorHint : texts.codeHint}</p>
      <LoginField
        label={texts.code}
        name="code"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        onChange={setCode}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className={buttons.primary}>
        {texts.continueWithCode}
      </button>
      <button type="button" className={buttons.plain} onClick={back}>
        {texts.back}
      </button>
    </form>
  )
}
