import { useState } from 'react'
import { Button, Form } from 'react-aria-components'
import { session } from '../../api/browser-session.tsx'
import { LoginError } from '../../api/login-calls.ts'
import buttons from '../../parts/buttons.module.css'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import styles from './login.module.css'
import { useSubmit } from './use-submit.ts'

interface PasswordFormProps {
  askForCode: (mfaToken: string, needsSetup: boolean) => Promise<void>
}

export function PasswordForm({ askForCode }: PasswordFormProps) {
  const texts = useTexts(loginTexts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { submit, problem } = useSubmit(async () => {
    try {
      await session.logIn({ email, password })
    } catch (error) {
      if (!(error instanceof LoginError) || !error.mfaToken) throw error
      await askForCode(error.mfaToken, error.mfaSetup)
    }
  }, texts.wrong)
  return (
    <Form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field
        label={texts.email}
        type="email"
        name="email"
        autoComplete="username"
        isRequired
        autoFocus
        value={email}
        onChange={setEmail}
      />
      <Field
        label={texts.password}
        type="password"
        name="password"
        autoComplete="current-password"
        isRequired
        value={password}
        onChange={setPassword}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <Button type="submit" className={buttons.primary}>
        {texts.logIn}
      </Button>
    </Form>
  )
}
