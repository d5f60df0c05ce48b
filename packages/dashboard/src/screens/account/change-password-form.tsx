import { InvalidRequestError } from '@cobro/sdk/admin'
import { useState } from 'react'
import { cobro } from '../../api/cobro.ts'
import { shortestPassword } from '../../input/password.ts'
import { ConfirmedForm } from '../../parts/confirmed-form.tsx'
import { Field } from '../../parts/field.tsx'
import { accountTexts } from '../../text/account-texts.ts'
import { useTexts } from '../../text/locale.tsx'

interface ChangePasswordProps {
  email: string
  done: () => void
  close: () => void
}

/** Chooses another password, which ends the other logins of the user. */
export function ChangePasswordForm({ email, done, close }: ChangePasswordProps) {
  const texts = useTexts(accountTexts)
  const [password, setPassword] = useState('')
  const work = async () => {
    await cobro.auth.changePassword({ password })
    close()
    done()
  }
  const failed = (error: unknown) => (error instanceof InvalidRequestError ? texts.weakPassword : texts.notChanged)
  return (
    <ConfirmedForm
      texts={{ title: texts.changePassword, submit: texts.changePassword, failed }}
      work={work}
      close={close}
    >
      {isUnclear => (
        <>
          <p>{texts.passwordText}</p>
          {/* So that a password manager knows whose password it is. */}
          <input hidden readOnly autoComplete="username" value={email} />
          <Field
            label={texts.newPassword}
            type="password"
            autoComplete="new-password"
            isRequired
            isDisabled={isUnclear}
            autoFocus
            maxLength={1024}
            validate={value => (value.length < shortestPassword ? texts.shortPassword : null)}
            value={password}
            onChange={setPassword}
          />
        </>
      )}
    </ConfirmedForm>
  )
}
