import type { ReactNode } from 'react'
import { useConfirmed } from '../api/use-confirmed.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { ConfirmForm } from './confirm-form.tsx'
import { FormDialog } from './form-dialog.tsx'

interface ConfirmedFormProps {
  /** `failed` may say more about an error. */
  texts: { title: string; submit: string; failed: string | ((error: unknown) => string) }
  /** Does what the form is for, and closes the dialog or shows what came of it. */
  work: () => Promise<void>
  close: () => void
  /** The merchant of what it changes. */
  merchantId?: string | undefined
  /** The fields. Where the work may have had its effect, they must stay as they are. */
  children: (isUnclear: boolean) => ReactNode
}

/** A form in a dialog, for work that the API may refuse until the user has confirmed who it is. */
export function ConfirmedForm({ texts, work, close, merchantId, children }: ConfirmedFormProps) {
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(work)
  const { unclear } = useTexts(shellTexts)
  if (needsConfirmation) return <ConfirmForm {...{ confirm, error, isRunning, merchantId, close }} />
  const known = typeof texts.failed === 'string' ? texts.failed : texts.failed(error)
  const form = {
    texts: { ...texts, failed: isUnclear ? unclear : known },
    error,
    isRunning,
    submit: run,
    close,
    merchantId,
  }
  return <FormDialog {...form}>{children(isUnclear)}</FormDialog>
}
