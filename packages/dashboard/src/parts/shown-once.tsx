import type { ReactNode } from 'react'
import { Button, Heading } from 'react-aria-components'
import buttons from './buttons.module.css'
import { CopyButton } from './copy-button.tsx'
import dialogs from './dialog.module.css'

interface ShownOnceProps {
  texts: { title: string; hint: string; stored: string; copy?: string }
  /** A secret. It is in this dialog alone, never in the cache. */
  value: string
  close: () => void
  /** How it is used. */
  children?: ReactNode
}

/** Shows a secret until the user has stored it. */
export function ShownOnce({ texts, value, close, children }: ShownOnceProps) {
  return (
    <>
      <Heading slot="title">{texts.title}</Heading>
      <p>{texts.hint}</p>
      <p>
        <code className={dialogs.secret}>{value}</code>
      </p>
      {children}
      <div className={dialogs.buttons}>
        <CopyButton text={value} label={texts.copy} autoFocus />
        <Button className={buttons.primary} onPress={close}>
          {texts.stored}
        </Button>
      </div>
    </>
  )
}
