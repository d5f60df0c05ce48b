type Results<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }

/**
 * Like Promise.all, but waits for every promise to settle before it rejects with the first failure, so that no work is left
 * running. Calls `onFailure` as soon as one promise rejects, so that it can abort the others.
 */
export async function waitForAll<const T extends readonly Promise<unknown>[]>(
  promises: T,
  onFailure: (error: unknown) => void = () => {},
): Promise<Results<T>> {
  for (const promise of promises) promise.catch(onFailure)
  await Promise.allSettled(promises)
  return Promise.all(promises) as Promise<Results<T>>
}
