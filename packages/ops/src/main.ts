import { describeCommandFault } from './command-fault.ts'
import { understand, usage } from './commands.ts'
import { UsageFault } from './usage-fault.ts'

const asked = process.argv.slice(2)
if (asked.length === 0) {
  process.stdout.write(usage)
  process.exit(2)
}
try {
  process.exit(await understand(asked)())
} catch (error) {
  if (error instanceof UsageFault) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
  process.stderr.write(`${describeCommandFault(error)}\n`)
  process.exit(1)
}
