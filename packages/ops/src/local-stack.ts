import { plainFault, readStack, type Stack } from '@cobro/local'

/** The stack that runs here. A plain fault says what to set where none does. */
export function localStack(): Stack {
  const stack = readStack()
  if (stack) return stack
  throw plainFault('No stack is running here: say by AMQP_URL or POSTGRES_URL where to look, or npm start.')
}
