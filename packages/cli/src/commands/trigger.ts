import type { FollowedEvent } from '@cobro/sdk'
import type { Command } from 'commander'
import { stringify } from 'yaml'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { valueAt } from '../feed/where.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print, tell } from '../output/print.ts'
import { runSteps, withInputs } from '../scenarios/run-scenario.ts'
import { type Scenario, scenarios } from '../scenarios/scenarios.ts'
import { collect } from './collect.ts'

interface TriggerOptions extends GlobalOptions {
  set: string[]
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
    .option('--set <path=value>', 'set an input of a step, such as metadata.order=A-42', collect, [])
    .option('--show', 'print the steps, and do nothing')
    .action(async (event: string, _options, command: Command) => {
      await trigger(event, command.optsWithGlobals<TriggerOptions>())
    })
}

async function trigger(name: string, options: TriggerOptions): Promise<void> {
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
  const isTest = name === testEvent
  if (!scenario && !isTest) {
    const hint = `Events: ${[...Object.keys(scenarios), testEvent].join(', ')}`
    throw new CommandError(`There is no scenario for ${name}.`, { hint })
  }
  const steps = withInputs(scenario?.steps ?? [], options.set)
  if (options.show) return void process.stdout.write(stringify({ steps: isTest ? testSteps : steps }))
  const connection = connect(options)
  const { environment } = await connection.cobro.me()
  if (environment !== 'sandbox') throw new CommandError('Events are triggered in the sandbox only.')
  print(
    scenario ? await run(connection, name, { ...scenario, steps }, options) : await sendTest(connection),
    formatOf(options.output),
  )
}

/** Runs the steps of a scenario. Returns the event that came of them. */
async function run(connection: Connection, name: string, { steps, withinMs }: Scenario, { quiet }: TriggerOptions) {
  const { head } = await connection.cobro.webhookEvents.list({ after: 'latest', limit: 1 })
  const world = { cobro: connection.cobro, hostedUrl: connection.baseUrl }
  const results = await runSteps(world, steps, text => quiet || tell(text))
  const [first] = Object.values(results)
  const lifecycle = valueAt(first, 'correlation_id') ?? valueAt(first, 'data.correlation_id')
  const event = await nextEvent(connection, { name, lifecycle, after: head, withinMs })
  return JSON.parse(event.payload)
}

const testSteps = [{ call: 'webhookEndpoints.sendTest', with: { id: 'the newest active endpoint' } }]

interface AwaitedEvent {
  name: string
  lifecycle: unknown
  after: number
  withinMs: Scenario['withinMs']
}

/** Waits for an event of a lifecycle in the feed. */
async function nextEvent({ cobro }: Connection, awaited: AwaitedEvent): Promise<FollowedEvent> {
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
    if (delivery.status === 'pending' || delivery.status === 'delivering') {
      await new Promise(resolve => setTimeout(resolve, pollMs))
      continue
    }
    if (delivery.status !== 'succeeded') process.exitCode = exitCodes.refused
    return delivery
  }
  throw new CommandError('The test was not delivered in time.', { exitCode: exitCodes.timeLimit })
}
