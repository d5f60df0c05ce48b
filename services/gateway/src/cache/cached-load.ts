import { LRUCache } from 'lru-cache'

interface CachedLoadOptions<I, V> {
  ttlMs: number
  load: (input: I) => Promise<V>
  /** Returns the cache key of an input; the default is `String`. */
  keyOf?: (input: I) => string
}

/** More than the number of keys that a replica sees within any of the TTLs. */
const maxEntries = 10_000

/**
 * Wraps `load` in a cache. The time to live counts from the start of the load, so no result is
 * older. Concurrent callers share one load; a result of `undefined` is cached, a failure is not.
 */
export function cachedLoad<I, V>({ ttlMs, load, keyOf = String }: CachedLoadOptions<I, V>): (input: I) => Promise<V> {
  const cache = new LRUCache<string, Promise<V>>({ max: maxEntries, ttl: ttlMs })
  return input => {
    const key = keyOf(input)
    const cached = cache.get(key)
    if (cached) return cached
    const start = performance.now()
    const loading = load(input)
    cache.set(key, loading, { start })
    loading.catch(() => {
      if (cache.peek(key) === loading) cache.delete(key)
    })
    return loading
  }
}
