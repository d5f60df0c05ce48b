import { ApiError, CobroError } from '@cobro/sdk/admin'
import { useRef, useState } from 'react'
import { session } from './browser-session.ts'
import { cobro } from './cobro.ts'
import { withProof } from './with-proof.ts'

/**
 * Runs work that the API may refuse until the user has confirmed who it is. `confirm` does that, and then runs the work again.
 */
export function useConfirmed(work: () => Promise<void>) {
  const [error, setError] = useState<unknown>()
  const running = useRef(false)
  const [isRunning, setRunning] = useState(false)
  const [needsConfirmation, setNeedsConfirmation] = useState(false)
  const attempt = async (what: () => Promise<void>) => {
    if (running.current) return
    running.current = true
    setRunning(true)
    setError(undefined)
    try {
      await what()
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'confirmation_required') setNeedsConfirmation(true)
      else setError(failure)
    } finally {
      running.current = false
      setRunning(false)
    }
  }
  return {
    error,
    isRunning,
    /** Whether the work may have had its effect: the same input has to be sent again, and no other. */
    isUnclear: error instanceof CobroError && error.outcomeUnknown,
    needsConfirmation,
    run: () => attempt(work),
    confirm: (proof: { password: string; code?: string }) =>
      attempt(async () => {
        const confirmed = await withProof(() => cobro.auth.confirm(proof))
        // A user who had to log in again has confirmed by that who it is.
        if (confirmed) session.confirmed(confirmed.token, confirmed.expires_in)
        setNeedsConfirmation(false)
        await work()
      }),
  }
}
