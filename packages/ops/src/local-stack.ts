import type { Stack } from '@cobro/local-stack'
import { CommandError } from './command-error.ts'
import { findLauncher } from './launcher.ts'

/** Returns the running local stack. Throws a CommandError that says what to set if there is none. */
export async function localStack(): Promise<Stack> {
  const stack = (await findLauncher())?.readStack()
  if (stack) return stack
  throw new CommandError('No stack is running here: run npm start, or set AMQP_URL or POSTGRES_URL.')
}
