#!/usr/bin/env node
import { describeFailure } from './output/failures.ts'
import { buildProgram } from './program.ts'

// A reader that ends early, such as `head`, is no failure.
process.stdout.on('error', () => process.exit(0))
try {
  await buildProgram().parseAsync()
} catch (error) {
  const { exitCode, lines } = describeFailure(error)
  for (const line of lines) if (line !== '') process.stderr.write(`${line}\n`)
  process.exitCode = exitCode
}
