import type { ReactNode } from 'react'
import { useConfirmed } from '../api/use-confirmed.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { FormDialog } from './form-dialog.tsx'

interface ConfirmedFormProps {
  /** `failed` may say more about an error. */
  texts: { title: string; submit: string; failed: string | ((error: unknown) => string) }
  /** Does what the form is for, and closes the dialog or shows what came of it. */
  work: () => Promise<void>
  close: () => void
  /** The fields. Where the work may have had its effect, they must stay as they are. */
  children: (isUnclear: boolean) => ReactNode
}

/** A form in a dialog, for work that the API may refuse until the user has confirmed who it is. */
export function ConfirmedForm({ texts, work, close, children }: ConfirmedFormProps) {
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(work)
  if (needsConfirmation) return <ConfirmForm confirm={confirm} error={error} close={close} />
  const failed = typeof texts.failed === 'string' ? texts.failed : texts.failed(error)
  return (
    <FormDialog texts={{ ...texts, failed }} error={error} isRunning={isRunning} submit={run} close={close}>
      {children(isUnclear)}
    </FormDialog>
  )
}
