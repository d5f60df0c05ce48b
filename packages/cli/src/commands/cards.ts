import type { Command } from 'commander'
import { connect, type GlobalOptions } from '../connection/connect.ts'
import { formatOf, print } from '../output/print.ts'

/** Adds `cards`, which lists the test cards of the sandbox. */
export function addCardsCommand(program: Command): void {
  program
    .command('cards')
    .description('List the test cards of the sandbox, with what becomes of their payments')
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>()
      print(await connect(options).cobro.sandbox.testCards(), formatOf(options.output))
    })
}
