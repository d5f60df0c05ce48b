import { useState } from 'react'
import { Button } from 'react-aria-components'
import { copyText } from '../input/copy-text.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'

const shownMs = 2_000

interface CopyButtonProps {
  text: string
  /** What it copies, where there are several. */
  label?: string | undefined
  autoFocus?: boolean
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label, autoFocus = false }: CopyButtonProps) {
  const texts = useTexts(shellTexts)
  const [said, setSaid] = useState<string>()
  const copy = async () => {
    setSaid((await copyText(text)) ? texts.copied : texts.copyFailed)
    setTimeout(() => setSaid(undefined), shownMs)
  }
  return (
    <Button className={buttons.plain} autoFocus={autoFocus} onPress={() => void copy()}>
      <span aria-live="polite">{said ?? label ?? texts.copy}</span>
    </Button>
  )
}
