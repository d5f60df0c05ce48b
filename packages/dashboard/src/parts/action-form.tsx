import { Button, Heading } from 'react-aria-components'
import { useConfirmed } from '../api/use-confirmed.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { ActingFor } from './acting-for.tsx'
import buttons from './buttons.module.css'
import { ConfirmForm } from './confirm-form.tsx'
import dialogs from './dialog.module.css'
import { useKeptOpen } from './kept-open.tsx'
import { ProblemText } from './problem-text.tsx'
import { useFocusBack } from './use-focus-back.ts'

interface ActionFormProps {
  /** `submit` is the button, which names what it does. */
  texts: { title: string; text: string; submit: string; failed: string }
  /** Does it, and closes the dialog or shows what came of it. */
  work: () => Promise<void>
  close: () => void
  /** The merchant of what it changes. */
  merchantId?: string | undefined
  /** Whether it takes nothing away, so that Enter may do it. */
  isHarmless?: boolean
}

/** Asks before something is done that needs no more input. */
export function ActionForm({ texts, work, close, merchantId, isHarmless = false }: ActionFormProps) {
  const shell = useTexts(shellTexts)
  const { run, confirm, needsConfirmation, error, isRunning, isUnclear } = useConfirmed(work)
  useKeptOpen(isRunning)
  const button = useFocusBack(isRunning)
  if (needsConfirmation) return <ConfirmForm {...{ confirm, error, isRunning, merchantId, close }} />
  return (
    <>
      <Heading slot="title">{texts.title}</Heading>
      <ActingFor merchantId={merchantId} />
      <p>{texts.text}</p>
      {error !== undefined && (
        <p className={dialogs.problem} role="alert">
          <ProblemText failed={isUnclear ? shell.unclear : texts.failed} error={error} />
        </p>
      )}
      <div className={dialogs.buttons}>
        <Button className={buttons.plain} isDisabled={isRunning} onPress={close}>
          {shell.cancel}
        </Button>
        <Button
          ref={button}
          className={isHarmless ? buttons.primary : buttons.danger}
          autoFocus={isHarmless}
          isDisabled={isRunning}
          onPress={() => void run()}
        >
          {texts.submit}
        </Button>
      </div>
    </>
  )
}
