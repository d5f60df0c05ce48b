/** Waits for an answer, and fails if it took ten seconds: for calls that wait up to twenty seconds unless something ends the wait. */
export async function soon<T>(answer: Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await answer
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  return result
}
