import { useEffect } from 'react'

/** Names the screen in the tab of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Cobro`
  }, [title])
}
