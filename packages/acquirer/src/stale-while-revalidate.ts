/**
 * Caches a loaded value for `freshMs`, then reloads it once for all concurrent callers.
 * Callers get the stale value meanwhile, until it is twice as old as `freshMs`: the server may hang. After a failed
 * reload the stale value stays and the next reload waits `retryMs`; only a failed first load throws. lru-cache serves
 * stale values too, but has no delay between failed reloads and no age from which callers wait.
 */
export function staleWhileRevalidate<T>(
  load: () => Promise<T>,
  { freshMs, retryMs, now = Date.now }: { freshMs: number; retryMs: number; now?: () => number },
): () => Promise<T> {
  let cached: { value: T; freshUntil: number; loadedAt: number } | undefined
  let loading: Promise<T> | undefined

  const reload = async () => {
    try {
      const value = await load()
      cached = { value, freshUntil: now() + freshMs, loadedAt: now() }
      return value
    } catch (error) {
      if (!cached) throw error
      cached.freshUntil = now() + retryMs
      return cached.value
    } finally {
      loading = undefined
    }
  }

  return async () => {
    if (cached && now() < cached.freshUntil) return cached.value
    loading ??= reload()
    if (!cached || now() - cached.loadedAt >= 2 * freshMs) return loading
    return cached.value
  }
}
