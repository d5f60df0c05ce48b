import type { Stack } from '@cobro/local-stack'
import { commandFault } from './command-fault.ts'
import { findLauncher } from './launcher.ts'

/** The stack that runs here. A plain fault says what to set where none does. */
export async function localStack(): Promise<Stack> {
  const stack = (await findLauncher())?.readStack()
  if (stack) return stack
  throw commandFault('No stack is running here: say by AMQP_URL or POSTGRES_URL where to look, or npm start.')
}
