import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import { CommandError } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'
import { readScenario } from '../scenarios/read-scenario.ts'
import { runSteps } from '../scenarios/run-scenario.ts'
import { withInputs } from '../scenarios/set-inputs.ts'
import { collect } from './collect.ts'

interface RunOptions extends GlobalOptions {
  set: string[]
}

/** Adds `run`, which runs a scenario file. */
export function addRunCommand(program: Command): void {
  program
    .command('run')
    .description('Run a scenario file in the sandbox, and show what its steps with an id returned')
    .argument('<file>', 'the file, or - for standard input; cobro trigger <event> --show prints one to start from')
    .option('--set <path=value>', 'set an input of a step, such as session.amount_total=9900', collect, [])
    .action(async (file: string, _options, command: Command) => {
      const options = command.optsWithGlobals<RunOptions>()
      const steps = withInputs(readScenario(readText(file)), options.set)
      const results = await runSteps(connect(options).cobro, steps, text => options.quiet || tell(text))
      print(results, formatOf(options.output))
    })
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new CommandError(`Cannot read ${file}.`)
  }
}
