import { useState } from 'react'
import { Button, Form } from 'react-aria-components'
import { session } from '../../api/browser-session.tsx'
import buttons from '../../parts/buttons.module.css'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'
import styles from './login.module.css'
import { useSubmit } from './use-submit.ts'

interface CodeFormProps {
  mfaToken: string
  /** The secret of a factor that is being set up. */
  secret: string | undefined
  back: () => void
  showCodes: (codes: string[], proceed: () => void) => void
}

export function CodeForm({ mfaToken, secret, back, showCodes }: CodeFormProps) {
  const texts = useTexts(loginTexts)
  const [code, setCode] = useState('')
  const { submit, problem } = useSubmit(async () => {
    const answered = await session.logInWithCode({ mfa_token: mfaToken, code: code.trim() })
    if (answered) showCodes(answered.recoveryCodes, answered.proceed)
  }, texts.wrongCode)
  return (
    <Form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <p className={styles.hint}>{secret ? texts.factorHint : texts.codeHint}</p>
      {secret && (
        <p className={styles.hint}>
          {texts.secret}: <code>{secret}</code>
        </p>
      )}
      <Field
        label={texts.code}
        name="code"
        autoComplete="one-time-code"
        isRequired
        autoFocus
        value={code}
        onChange={setCode}
      />
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <Button type="submit" className={buttons.primary}>
        {texts.continueWithCode}
      </Button>
      <Button className={buttons.plain} onPress={back}>
        {texts.back}
      </Button>
    </Form>
  )
}
