import type { Command } from 'commander'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { valueAt } from '../feed/where.ts'
import { unknownName } from '../methods/similar-names.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'
import { scenarioFile } from '../scenarios/read-scenario.ts'
import { runSteps } from '../scenarios/run-scenario.ts'
import { scenarios, testScenario } from '../scenarios/scenarios.ts'
import { withInputs } from '../scenarios/set-inputs.ts'
import { collect } from './collect.ts'

interface TriggerOptions extends GlobalOptions {
  set: string[]
  show?: boolean
}

const testEvent = 'webhook.test'
const names = [...Object.keys(scenarios), testEvent]

/** Adds `trigger`, which makes an event really happen in the sandbox. */
export function addTriggerCommand(program: Command): void {
  program
    .command('trigger')
    .description('Make an event happen in the sandbox, and show it')
    .argument('<event>', `one of ${names.join(', ')}`)
    .option('--set <path=value>', 'set an input of a step, such as metadata.order=A-42', collect, [])
    .option('--show', 'print the scenario as a file for cobro run, and do nothing')
    .action(async (event: string, _options, command: Command) => {
      await trigger(event, command.optsWithGlobals<TriggerOptions>())
    })
}

async function trigger(name: string, options: TriggerOptions): Promise<void> {
  const isTest = name === testEvent
  const scenario = isTest ? testScenario : Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
  if (!scenario) throw unknownName('event', name, names)
  const steps = withInputs(scenario, options.set)
  if (options.show) return void process.stdout.write(scenarioFile(steps))
  const connection = connect(options)
  if (isTest) await checkEndpoint(connection)
  const { event, delivery } = await runSteps(connection.cobro, steps, text => options.quiet || tell(text))
  print(event ?? delivery, formatOf(options.output))
  if (isTest && valueAt(delivery, 'status') !== 'succeeded') process.exitCode = exitCodes.refused
}

async function checkEndpoint({ cobro }: Connection): Promise<void> {
  const { data } = await cobro.webhookEndpoints.list({ status: 'active', limit: 1 })
  if (data.length > 0) return
  const hint = 'Create one with: cobro webhooks create --url https://…'
  throw new CommandError('There is no webhook endpoint to test.', { hint })
}
