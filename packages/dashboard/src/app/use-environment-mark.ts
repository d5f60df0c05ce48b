import { useEffect } from 'react'
import { useMe } from '../api/use-me.ts'
import testMark from '../look/test-mark.svg'
import { markTitles } from '../parts/use-title.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'

/** Marks the tab of the sandbox, so that it is not taken for production: another icon, and a word before its titles. */
export function useEnvironmentMark(): void {
  const texts = useTexts(shellTexts)
  const isSandbox = useMe().me?.environment === 'sandbox'
  useEffect(() => {
    if (!isSandbox) return
    markTitles(texts.testMark)
    document.querySelector('link[rel=icon]')?.setAttribute('href', testMark)
  }, [isSandbox, texts])
}
