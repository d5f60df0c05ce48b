import { AuthenticationError } from '@cobro/sdk/admin'
import { session } from './browser-session.ts'

/**
 * Makes a call with a password or code of the user. The API answers a wrong one with a 401, as it answers any call of a login that
 * has ended. In that case, returns undefined once the user has logged in again: the proof was not judged.
 */
export async function withProof<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof AuthenticationError) || (await session.goesOn())) throw error
    return undefined
  }
}
