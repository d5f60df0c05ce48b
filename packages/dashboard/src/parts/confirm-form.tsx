import { AuthenticationError } from '@cobro/sdk/admin'
import { useState } from 'react'
import { Button, Form, Heading } from 'react-aria-components'
import { problemOf } from '../api/problems.ts'
import { confirmTexts } from '../text/confirm-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'
import dialogs from './dialog.module.css'
import { Field } from './field.tsx'
import { messageOf } from './states.tsx'

interface ConfirmFormProps {
  confirm: (proof: { password: string; code?: string }) => Promise<void>
  error: unknown
  close: () => void
}

/** Asks who it is once more, before something that moves money or opens a door. */
export function ConfirmForm({ confirm, error, close }: ConfirmFormProps) {
  const texts = useTexts(confirmTexts)
  const shell = useTexts(shellTexts)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  return (
    <Form
      onSubmit={event => {
        event.preventDefault()
        void confirm({ password, ...(code.trim() ? { code: code.trim() } : {}) })
      }}
    >
      <Heading slot="title">{texts.confirmTitle}</Heading>
      <p>{texts.confirmText}</p>
      <Field
        label={texts.password}
        type="password"
        autoComplete="current-password"
        autoFocus
        isRequired
        value={password}
        onChange={setPassword}
      />
      <Field
        label={texts.code}
        placeholder={texts.codeHint}
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
      />
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          {isWrong(error) ? texts.confirmWrong : messageOf(problemOf(error), shell)}
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} onPress={close}>
          {shell.cancel}
        </Button>
        <Button type="submit" className={buttons.primary}>
          {texts.confirm}
        </Button>
      </div>
    </Form>
  )
}

const isWrong = (error: unknown) => error instanceof AuthenticationError || problemOf(error).kind === 'invalid'
