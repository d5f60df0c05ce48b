import type { FeedEvent } from '@cobro/sdk'
import { type Command, Option } from 'commander'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { forwardEvent, forwardingUrl } from '../feed/forward-event.ts'
import { signingSecret } from '../feed/signing-secret.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print } from '../output/print.ts'

interface ListOptions extends GlobalOptions {
  events?: string
  after?: string
  limit: string
}

interface ResendOptions extends GlobalOptions {
  to?: string
  forwardTo?: string
}

/** Adds `events list`, `events show` and `events resend`. */
export function addEventCommands(program: Command): void {
  const events = program.command('events').description('Past events of the feed')
  events
    .command('list')
    .description('List events, the newest last')
    .option('--events <names>', 'names or groups, such as payment.*, with commas between them')
    .option('--after <sequence>', 'from the event after this one; by default the last ones')
    .addOption(new Option('--limit <number>', 'how many').default('20'))
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>()
      print((await listEvents(connect(options), options)).map(summaryOf), formatOf(options.output))
    })
  events
    .command('show')
    .description('Show an event as webhooks receive it')
    .argument('<id>')
    .action(async (id: string, _options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>()
      const { payload } = await connect(options).cobro.webhookEvents.retrieve(id)
      print(JSON.parse(payload), formatOf(options.output ?? (process.stdout.isTTY ? 'yaml' : undefined)))
    })
  events
    .command('resend')
    .description('Send an event once more, to an endpoint or to a URL of this machine')
    .argument('<id>')
    .option('--to <endpoint>', 'the endpoint, whk_…')
    .option('--forward-to <url>', 'a URL that this machine reaches')
    .action(async (id: string, _options, command: Command) => resend(id, command.optsWithGlobals<ResendOptions>()))
}

async function listEvents({ cobro }: Connection, { events, after, limit }: ListOptions): Promise<FeedEvent[]> {
  const wanted = Number(limit)
  if (!(Number.isInteger(wanted) && wanted > 0)) throw new CommandError('--limit is a number above 0.')
  if (after !== undefined) {
    if (!/^\d+$/.test(after)) throw new CommandError('--after is a sequence.')
    return (await cobro.webhookEvents.list({ after: Number(after), limit: wanted, events })).data
  }
  const { head, floor } = await cobro.webhookEvents.list({ after: 'latest', limit: 1 })
  const found: FeedEvent[] = []
  // The feed is read forwards, so its end is found in steps that grow.
  for (let from = head, step = wanted; from >= floor && found.length < wanted; step *= 4) {
    const start = Math.max(floor - 1, from - step)
    const part: FeedEvent[] = []
    for (let position = start; position < from; ) {
      const page = await cobro.webhookEvents.list({ after: position, limit: 200, events })
      part.push(...page.data.filter(({ sequence }) => sequence <= from))
      position = page.through
    }
    found.unshift(...part)
    from = start
  }
  return found.slice(-wanted)
}

function summaryOf({ sequence, id, event, created_at, correlation_id }: FeedEvent) {
  return { sequence, id, event, created_at, correlation_id }
}

async function resend(id: string, options: ResendOptions): Promise<void> {
  const { to, forwardTo } = options
  if ((to === undefined) === (forwardTo === undefined)) throw new CommandError('State either --to or --forward-to.')
  const url = forwardTo === undefined ? undefined : forwardingUrl(forwardTo)
  const connection = connect(options)
  const { cobro } = connection
  if (url === undefined) {
    const delivery = await cobro.webhookDeliveries.create({ webhook_id: String(to), event_id: id })
    return print(delivery, formatOf(options.output))
  }
  const event = await cobro.webhookEvents.retrieve(id)
  const forwarded = await forwardEvent(event, url, { secret: await signingSecret(connection) })
  print(forwarded, formatOf(options.output))
  if (forwarded.status === null) process.exitCode = exitCodes.unreachable
  else if (forwarded.answer !== undefined) process.exitCode = exitCodes.refused
}
