import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { addCardsCommand } from './commands/cards.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addEventCommands } from './commands/events.ts'
import { addListenCommand } from './commands/listen.ts'
import { addLoginCommands } from './commands/login.ts'
import { addLogCommands } from './commands/logs.ts'
import { addMethodCommands } from './commands/method-commands.ts'
import { addOpenCommand } from './commands/open.ts'
import { addPayCommand } from './commands/pay.ts'
import { addRunCommand } from './commands/run.ts'
import { addSampleCommands } from './commands/samples.ts'
import { addStatusCommand } from './commands/status.ts'
import { addTriggerCommand } from './commands/trigger.ts'
import { methodCommands } from './generated/method-commands.ts'
import { CommandError } from './output/failures.ts'
import { version } from './version.ts'

/** Beside the folder of this file, which is `src` or `dist`. */
const samplesFolder = fileURLToPath(new URL('../samples', import.meta.url))

/** Returns the whole command. */
export function buildProgram(): Command {
  const hint = 'All commands: cobro --help'
  const program = new Command('cobro')
    .description('Cobro on the command line: receive events, make payments happen in the sandbox, call the API')
    .version(version)
    .option('--profile <name>', 'the profile to use')
    .option('--base-url <url>', 'the address of the deployment')
    .option('--merchant <id>', 'for operators: the merchant to act for')
    .option('--output <format>', 'table, json, ndjson or yaml; by default table on a terminal, else json')
    .option('--quiet', 'print results only')
    .showSuggestionAfterError()
    .exitOverride(({ exitCode, message, code }) => {
      // Help and the version end well; everything else was typed wrongly.
      if (exitCode === 0) process.exit(0)
      throw new CommandError(code === 'commander.help' ? '' : message.replace(/^error: /, ''), { hint })
    })
    .configureOutput({ outputError: () => undefined })
  addLoginCommands(program)
  addStatusCommand(program)
  addListenCommand(program)
  addTriggerCommand(program)
  addRunCommand(program)
  addEventCommands(program)
  addLogCommands(program)
  addPayCommand(program)
  addCardsCommand(program)
  addOpenCommand(program)
  addSampleCommands(program, samplesFolder)
  addCompletionCommand(program)
  addMethodCommands(program, methodCommands)
  return program
}
