import { describeCommandFault } from './command-fault.ts'
import { commandOf, usage } from './commands.ts'
import { UsageFault } from './usage-fault.ts'

const [topic = '', verb = '', ...args] = process.argv.slice(2)
if (['', 'help', '--help', '-h'].includes(topic)) {
  process.stdout.write(usage)
  process.exit(topic === '' ? 2 : 0)
}
try {
  process.exit(await commandOf(topic, verb)(args))
} catch (error) {
  if (error instanceof UsageFault) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
  process.stderr.write(`${describeCommandFault(error)}\n`)
  process.exit(1)
}
