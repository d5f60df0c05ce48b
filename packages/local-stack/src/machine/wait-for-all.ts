type Results<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> }

/**
 * Like Promise.all, but never leaves work running: all of it has ended, well or not, before the first failure is thrown.
 * `onFailure` is told at once, so that it can cut the rest short.
 */
export async function waitForAll<const T extends readonly Promise<unknown>[]>(
  work: T,
  onFailure: (error: unknown) => void = () => {},
): Promise<Results<T>> {
  for (const piece of work) piece.catch(onFailure)
  await Promise.allSettled(work)
  return Promise.all(work) as Promise<Results<T>>
}
