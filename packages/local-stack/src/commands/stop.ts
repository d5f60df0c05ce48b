import { stackDirectory } from '../layout/stack-paths.ts'
import { runCli } from '../machine/cli.ts'
import { stopStack } from '../stack/stop-stack.ts'

await runCli(async () => {
  console.log((await stopStack(stackDirectory())) ? 'The stack is stopped.' : 'No stack is running.')
  return 0
})
