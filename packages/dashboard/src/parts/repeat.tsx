import { useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { repeatAfterSeconds } from '../api/problems.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import buttons from './buttons.module.css'

export interface RepeatProps {
  error: unknown
  /** How often it has failed in a row. */
  failures?: number
  retry: () => void
}

/** Repeats what failed when the user wants it, and by itself where that may succeed. */
export function Repeat({ error, failures = 2, retry }: RepeatProps) {
  const texts = useTexts(shellTexts)
  const left = useCountdown(error, repeatAfterSeconds(error, failures), retry)
  return (
    <>
      {/* No screen reader should say every second. */}
      {left !== undefined && left > 0 && <span role="timer">{texts.again(left)}</span>}
      <Button className={buttons.plain} onPress={retry}>
        {texts.retry}
      </Button>
    </>
  )
}

/** Counts down from a failure, and then calls back once. Returns the seconds left. */
function useCountdown(error: unknown, seconds: number | undefined, callBack: () => void): number | undefined {
  const [left, setLeft] = useState(seconds)
  const atEnd = useRef(callBack)
  useEffect(() => {
    atEnd.current = callBack
  })
  // Each failure begins another countdown, also one that is like the one before.
  useEffect(() => {
    setLeft(seconds)
    if (seconds === undefined) return undefined
    let passed = 0
    const timer = setInterval(() => {
      passed++
      setLeft(seconds - passed)
      if (passed < seconds) return
      clearInterval(timer)
      atEnd.current()
    }, 1_000)
    return () => clearInterval(timer)
  }, [error, seconds])
  return left
}
