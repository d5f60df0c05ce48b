import { useState } from 'react'
import { session } from '../../api/browser-session.ts'
import { LoginError, mfaTokenMs } from '../../api/login-calls.ts'
import buttons from '../../parts/buttons.module.css'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import type { PasswordProof } from './code-form.tsx'
import styles from './login.module.css'
import { LoginField } from './login-field.tsx'
import { useSubmit } from './use-submit.ts'

interface PasswordFormProps {
  askForCode: (proof: PasswordProof, needsSetup: boolean) => Promise<void>
}

export function PasswordForm({ askForCode }: PasswordFormProps) {
  const texts = useTexts(loginTexts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { submit, problem } = useSubmit(async () => {
    const endsAtMs = Date.now() + mfaTokenMs
    try {
      await session.logIn({ email, password })
    } catch (error) {
      if (!(error instanceof LoginError) || !error.mfaToken) throw error
      await askForCode({ mfaToken: error.mfaToken, endsAtMs }, error.mfaSetup)
    }
  }, texts.wrong)
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <LoginField
        label={texts.email}
        type="email"
        name="email"
        autoComplete="username"
        autoFocus
        value={email}
        onChange={setEmail}
      />
      <LoginField
        label={texts.password}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className={buttons.primary}>
        {texts.logIn}
      </button>
    </form>
  )
}
