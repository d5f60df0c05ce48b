import { stackFolder } from './folders.ts'
import { stopStack } from './stop-stack.ts'
import { runTask } from './task.ts'

await runTask(async () => {
  console.log((await stopStack(stackFolder())) ? 'The stack has stopped.' : 'No stack is running.')
  return 0
})
