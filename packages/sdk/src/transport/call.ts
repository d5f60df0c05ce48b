/** A response of the API, read. */
export interface Answer<T> {
  data: T
  response: Response
  requestId: string | undefined
}

/** A call that was made. Resolves with its result. */
export interface Call<T> extends Promise<T> {
  /** Resolves with the result, and the response that it came with. */
  withResponse(): Promise<Answer<T>>
}

/** Returns a call whose answer is on its way. */
export function callOf<T>(answer: Promise<Answer<T>>): Call<T> {
  const result = answer.then(({ data }) => data)
  return Object.assign(result, {
    withResponse() {
      result.catch(ignore)
      return answer
    },
  })
}

/** The failure is handled at another promise of the same call. */
export function ignore(): void {}
