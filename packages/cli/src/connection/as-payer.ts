import { UserError } from '@cobro/local-stack/user-error'
import { CommandError, exitCodes } from '../output/failures.ts'

/** Runs what a payer does at the payers' pages, and describes its failures for the person at the terminal. */
export async function asPayer<T>(hostedUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (error.cause === undefined) throw new CommandError(error.message)
    throw new CommandError(`Cannot reach ${hostedUrl}.`, { exitCode: exitCodes.unreachable })
  }
}
