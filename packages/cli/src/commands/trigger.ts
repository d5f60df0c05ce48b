import type { FollowedEvent } from '@cobro/sdk'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { valueAt } from '../feed/where.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'
import { runSteps, withInputs } from '../scenarios/run-scenario.ts'
import { type Scenario, scenarios } from '../scenarios/scenarios.ts'

interface TriggerOptions extends GlobalOptions {
  set?: string[]
  show?: boolean
}

const testEvent = 'webhook.test'
const pollMs = 300
const testWithinMs = 15_000

/** Adds `trigger`, which makes an event really happen in the sandbox. */
export function addTriggerCommand(program: Command): void {
  program
    .command('trigger')
    .description('Make an event happen in the sandbox, and show it')
    .argument('<event>', `one of ${[...Object.keys(scenarios), testEvent].join(', ')}`)
    .option('--set <path=value...>', 'set an input of a step, such as metadata.order=A-42')
    .option('--show', 'print the steps, and do nothing')
    .action(async (event: string, _options, command: Command) => {
      await trigger(event, command.optsWithGlobals<TriggerOptions>())
    })
}

async function trigger(name: string, options: TriggerOptions): Promise<void> {
  const format = formatOf(options.output)
  if (name === testEvent) return print(await sendTest(connect(options)), format)
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
  if (!scenario) {
    throw new CommandError(`There is no scenario for ${name}.`, {
      hint: `Events: ${Object.keys(scenarios).join(', ')}`,
    })
  }
  const steps = withInputs(scenario.steps, options.set ?? [])
  if (options.show) return void process.stdout.write(stringify({ steps }))
  const connection = connect(options)
  const { head } = await connection.cobro.webhookEvents.list({ after: 'latest', limit: 1 })
  const world = { cobro: connection.cobro, hostedUrl: connection.baseUrl }
  const results = await runSteps(world, steps, text => options.quiet || tell(text))
  const [first] = Object.values(results)
  const lifecycle = valueAt(first, 'correlation_id') ?? valueAt(first, 'data.correlation_id')
  const event = await nextEvent(connection, { name, lifecycle, after: head, withinMs: scenario.withinMs })
  print(JSON.parse(event.payload), format)
}

interface Awaited {
  name: string
  lifecycle: unknown
  after: number
  withinMs: Scenario['withinMs']
}

/** Waits for an event of a lifecycle in the feed. */
async function nextEvent({ cobro }: Connection, awaited: Awaited): Promise<FollowedEvent> {
  const { name, lifecycle, after, withinMs } = awaited
  const signal = AbortSignal.timeout(withinMs)
  for await (const event of cobro.webhookEvents.follow({ after, events: [name], signal })) {
    if (event.correlation_id === lifecycle) return event
  }
  throw new CommandError(`${name} did not come within ${withinMs / 1_000} s.`, { exitCode: exitCodes.timeLimit })
}

/** The test of a webhook is not in the feed: it is sent to an endpoint, and its delivery shows the result. */
async function sendTest({ cobro }: Connection): Promise<unknown> {
  const [endpoint] = (await cobro.webhookEndpoints.list({ status: 'active', limit: 1 })).data
  if (!endpoint) {
    throw new CommandError('There is no webhook endpoint to test.', { hint: 'cobro webhooks create --url https://…' })
  }
  const sent = await cobro.webhookEndpoints.sendTest(endpoint.id)
  for (const endsAt = Date.now() + testWithinMs; Date.now() < endsAt; ) {
    const delivery = await cobro.webhookDeliveries.retrieve(sent.id)
    if (delivery.status !== 'pending' && delivery.status !== 'delivering') return delivery
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
  throw new CommandError('The test was not delivered in time.', { exitCode: exitCodes.timeLimit })
}
