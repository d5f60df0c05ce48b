import { useEffect, useRef } from 'react'

/**
 * Returns how to begin work of which only the latest counts, and how to stop it: its signal is aborted then, and when the
 * component is gone.
 */
export function useOnlyLatest() {
  const latest = useRef<AbortController>(undefined)
  const stop = () => latest.current?.abort()
  const begin = () => {
    stop()
    latest.current = new AbortController()
    return latest.current.signal
  }
  useEffect(() => () => latest.current?.abort(), [])
  return { begin, stop }
}
