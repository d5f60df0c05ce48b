import { stackFolder } from '../layout/stack-paths.ts'
import { runTask } from '../machine/cli.ts'
import { stopStack } from '../stack/stop-stack.ts'

await runTask(async () => {
  console.log((await stopStack(stackFolder())) ? 'The stack has stopped.' : 'No stack is running.')
  return 0
})
