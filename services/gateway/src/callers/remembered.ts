interface Options<I, V> {
  ms: number
  load: (input: I) => Promise<V>
  keyOf?: (input: I) => string
}

/** More than a replica meets in the time for which anything is remembered; the oldest go first. */
const maxRemembered = 10_000

/**
 * Makes a function that remembers what `load` gave, counted from before it was asked, so that nothing older is ever
 * handed out. Callers that ask at the same time share one load. A failure is not remembered.
 */
export function remembered<I, V>({ ms, load, keyOf = String }: Options<I, V>): (input: I) => Promise<V> {
  const known = new Map<string, { until: number; value: Promise<V> }>()

  const loadAnew = (key: string, input: I) => {
    const until = performance.now() + ms
    const value = load(input)
    const entry = { until, value }
    known.delete(key)
    known.set(key, entry)
    value.catch(() => {
      if (known.get(key) === entry) known.delete(key)
    })
    const [oldest] = known.keys()
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    return value
  }
  return input => {
    const key = keyOf(input)
    const entry = known.get(key)
    return entry && performance.now() < entry.until ? entry.value : loadAnew(key, input)
  }
}
