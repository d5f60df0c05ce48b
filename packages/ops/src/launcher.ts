import type { Stack } from '@cobro/local-stack'
import { CommandError } from './command-error.ts'

/** Imports the package local-stack. Returns undefined in the ops image, which does not have it. */
export async function findLauncher() {
  try {
    return await import('@cobro/local-stack')
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Returns the running local stack, or throws a CommandError that says what to set. */
export async function localStack(): Promise<Stack> {
  const stack = (await findLauncher())?.readStack()
  if (stack) return stack
  throw new CommandError('No stack is running here: run npm start, or set AMQP_URL or POSTGRES_URL.')
}
