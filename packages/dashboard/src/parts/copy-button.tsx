import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'

const shownMs = 2_000

/** Copies a text, and says so for a moment. */
export function CopyButton({ text }: { text: string }) {
  const texts = useTexts(shellTexts)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
  }
  return (
    <Button className={buttons.plain} onPress={() => void copy()}>
      <span aria-live="polite">{isCopied ? texts.copied : texts.copy}</span>
    </Button>
  )
}
