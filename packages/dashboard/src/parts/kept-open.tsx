import { createContext, use, useEffect } from 'react'

/** What keeps the dialog open that is around. */
export const KeepOpen = createContext<(isKept: boolean) => void>(() => undefined)

/** Keeps the dialog around a form open while its call runs, so that its failure is said. */
export function useKeptOpen(isRunning: boolean): void {
  const keep = use(KeepOpen)
  useEffect(() => {
    keep(isRunning)
    return () => keep(false)
  }, [keep, isRunning])
}
