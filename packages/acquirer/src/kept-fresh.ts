/**
 * Keeps a loaded value for `freshMs`, then loads it anew, once for all who ask at the same time. Nobody waits for that while
 * the old value is not twice as old as it should be, since who is asked may hang. While loading fails, the old value serves
 * and the next try waits `retryMs`; only a first load that fails is anybody's error.
 */
export function keptFresh<T>(
  load: () => Promise<T>,
  { freshMs, retryMs, now = Date.now }: { freshMs: number; retryMs: number; now?: () => number },
): () => Promise<T> {
  let kept: { value: T; until: number; loadedAt: number } | undefined
  let loading: Promise<T> | undefined

  const reload = async () => {
    try {
      const value = await load()
      kept = { value, until: now() + freshMs, loadedAt: now() }
      return value
    } catch (error) {
      if (!kept) throw error
      kept.until = now() + retryMs
      return kept.value
    } finally {
      loading = undefined
    }
  }

  return async () => {
    if (kept && now() < kept.until) return kept.value
    loading ??= reload()
    if (!kept || now() - kept.loadedAt >= 2 * freshMs) return loading
    return kept.value
  }
}
