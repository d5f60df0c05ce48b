type Results<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }

/**
 * Like Promise.all, but rejects with the first failure only once all promises have ended, so that
 * no work is left running. Calls `onFailure` at each rejection, so that it can abort the others.
 */
export async function waitForAll<const T extends readonly Promise<unknown>[]>(
  promises: T,
  onFailure: (error: unknown) => void = () => {},
): Promise<Results<T>> {
  for (const promise of promises) promise.catch(onFailure)
  await Promise.allSettled(promises)
  return Promise.all(promises) as Promise<Results<T>>
}
