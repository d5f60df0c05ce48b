import { AuthenticationError } from '@cobro/sdk/admin'
import { useState } from 'react'
import { problemOf } from '../api/problems.ts'
import { confirmTexts } from '../text/confirm-texts.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { Field } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { messageOf } from './states.tsx'

interface ConfirmFormProps {
  confirm: (proof: { password: string; code?: string }) => Promise<void>
  error: unknown
  isRunning: boolean
  /** The merchant of what it is for. */
  merchantId?: string | undefined
  close: () => void
}

/** Asks who it is once more, before something that moves money or opens a door. */
export function ConfirmForm({ confirm, ...form }: ConfirmFormProps) {
  const texts = useTexts(confirmTexts)
  const shell = useTexts(shellTexts)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const why = messageOf(problemOf(form.error), { ...shell, failed: texts.failed })
  return (
    <FormDialog
      {...form}
      texts={{
        title: texts.confirmTitle,
        submit: texts.confirm,
        failed: isWrong(form.error) ? texts.confirmWrong : why,
      }}
      submit={() => confirm({ password, ...(code.trim() ? { code: code.trim() } : {}) })}
    >
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
    </FormDialog>
  )
}

const isWrong = (error: unknown) => error instanceof AuthenticationError || problemOf(error).kind === 'invalid'
