import { formatCommandError } from './command-error.ts'
import { parseCommand, usage } from './commands.ts'
import { UsageError } from './usage-error.ts'

const asked = process.argv.slice(2)
if (asked.length === 0) {
  process.stdout.write(usage)
  process.exit(2)
}
try {
  const run = await parseCommand(asked)
  process.exit(await run())
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
  process.stderr.write(`${formatCommandError(error)}\n`)
  process.exit(1)
}
