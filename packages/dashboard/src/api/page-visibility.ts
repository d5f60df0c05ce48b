// Each removes its listeners once it has ended: a tab may stay open for days.

/** Resolves once the page is looked at, or the signal aborts. */
export function seen(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = new AbortController()
    const check = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return
      done.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal: done.signal })
    signal.addEventListener('abort', check, { signal: done.signal })
    check()
  })
}

/** Returns a signal that aborts when the page is no longer looked at, or with the other one. */
export function untilHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController()
  const either = AbortSignal.any([signal, hidden.signal])
  const check = () => document.visibilityState === 'hidden' && hidden.abort()
  document.addEventListener('visibilitychange', check, { signal: either })
  check()
  return either
}

/** Resolves after a while, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
