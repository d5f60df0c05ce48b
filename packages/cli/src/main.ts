#!/usr/bin/env node
import { describeFailure } from './output/failures.ts'
import { tell } from './output/print.ts'
import { buildProgram } from './program.ts'

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that ends early, such as `head`, is no failure.
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`The output could not be written: ${error.code}.\n`)
  process.exit(1)
})
try {
  await buildProgram().parseAsync()
} catch (error) {
  const { exitCode, lines } = describeFailure(error)
  for (const line of lines) if (line !== '') tell(line)
  process.exitCode = exitCode
}
