import { type RefObject, useEffect, useRef } from 'react'

/** Returns a ref for a button that is disabled while its work runs, which takes the focus from it. Gives that back afterwards. */
export function useFocusBack(isRunning: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isRunning) return
    return () => {
      // The field from which the form was sent may be disabled by now.
      if (document.activeElement?.matches('body, :disabled')) button.current?.focus()
    }
  }, [isRunning])
  return button
}
