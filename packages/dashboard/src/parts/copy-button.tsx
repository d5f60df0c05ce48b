import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'

const shownMs = 2_000

/** Copies a text, and says so for a moment. */
export function CopyButton({ text }: { text: string }) {
  const texts = useTexts(shellTexts)
  const [said, setSaid] = useState<string>()
  const copy = async () => {
    // Browsers have no clipboard over plain http, other than on this machine, and may ask the user.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setSaid(isCopied ? texts.copied : texts.copyFailed)
    setTimeout(() => setSaid(undefined), shownMs)
  }
  return (
    <Button className={buttons.plain} onPress={() => void copy()}>
      <span aria-live="polite">{said ?? texts.copy}</span>
    </Button>
  )
}
