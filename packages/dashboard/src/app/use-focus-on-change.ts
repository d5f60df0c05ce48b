import { useRouter } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'

/** Moves the focus to the heading of each new screen, as screen readers then say it; to the screen as long as it has none. */
export function useFocusOnChange(content: RefObject<HTMLElement | null>): void {
  const router = useRouter()
  useEffect(() => {
    const focusHeading = () => {
      const heading = content.current?.querySelector('h1')
      if (!heading) return false
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    const loading = new MutationObserver(() => {
      // A user who has gone on meanwhile stays there.
      if (document.activeElement !== content.current || focusHeading()) loading.disconnect()
    })
    const unsubscribe = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      if (!fromLocation || !pathChanged || !content.current) return
      loading.disconnect()
      if (focusHeading()) return
      content.current.focus({ preventScroll: true })
      loading.observe(content.current, { childList: true, subtree: true })
    })
    return () => {
      unsubscribe()
      loading.disconnect()
    }
  }, [router, content])
}
