import { useRef, useState } from 'react'
import { LoginError } from '../../api/login-calls.ts'
import { useTexts } from '../../text/locale.tsx'
import { loginTexts } from '../../text/login-texts.ts'

/** Runs what a form of the login does, and says in the user's words why it failed. `wrong` is for a 401. */
export function useSubmit(work: () => Promise<unknown>, wrong: string) {
  const texts = useTexts(loginTexts)
  const [problem, setProblem] = useState<string>()
  const running = useRef(false)
  const submit = async () => {
    if (running.current) return
    running.current = true
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(wordsOf(error))
    } finally {
      running.current = false
    }
  }
  const wordsOf = (error: unknown): string => {
    if (!(error instanceof LoginError)) return texts.failed
    if (error.status === 401 || error.status === 400) return wrong
    if (error.status === 403) return texts.otherAddress
    return error.status === 429 ? texts.limited(error.retryAfterSeconds ?? 60) : texts.failed
  }
  return { submit, problem }
}
