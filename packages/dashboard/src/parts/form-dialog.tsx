import type { ReactNode } from 'react'
import { Button, Form, Heading } from 'react-aria-components'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { ActingFor } from './acting-for.tsx'
import buttons from './buttons.module.css'
import dialogs from './dialog.module.css'
import { useKeptOpen } from './kept-open.tsx'
import { ProblemText } from './problem-text.tsx'
import { useFocusBack } from './use-focus-back.ts'

interface FormDialogProps {
  texts: { title: string; submit: string; failed: string }
  error: unknown
  isRunning: boolean
  submit: () => Promise<void>
  close: () => void
  tone?: 'primary' | 'danger'
  /** The merchant of what it changes. */
  merchantId?: string | undefined
  /** The fields. */
  children: ReactNode
}

/** A form in a dialog, with what went wrong above its buttons. */
export function FormDialog(props: FormDialogProps) {
  const { texts, error, isRunning, submit, close, tone = 'primary', merchantId, children } = props
  const shell = useTexts(shellTexts)
  useKeptOpen(isRunning)
  const button = useFocusBack(isRunning)
  return (
    <Form
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <Heading slot="title">{texts.title}</Heading>
      <ActingFor merchantId={merchantId} />
      {children}
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          <ProblemText failed={texts.failed} error={error} />
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} isDisabled={isRunning} onPress={close}>
          {shell.cancel}
        </Button>
        <Button ref={button} type="submit" className={buttons[tone]} isDisabled={isRunning}>
          {texts.submit}
        </Button>
      </div>
    </Form>
  )
}
