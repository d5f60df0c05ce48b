import type { FeedEvent } from '@cobro/sdk'
import { type Command, Option } from 'commander'
import { type Connection, connect, type GlobalOptions, profileOf } from '../connection/connect.ts'
import { composableEvents, composeEvent } from '../events/compose-event.ts'
import { type Forwarded, forwardEvent, forwardingUrl } from '../feed/forward-event.ts'
import { signingSecret } from '../feed/signing-secret.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { formatOf, print } from '../output/print.ts'
import { collect, joined } from './collect.ts'

interface ListOptions extends GlobalOptions {
  events?: string
  after?: string
  limit: string
}

interface ResendOptions extends GlobalOptions {
  to?: string
  forwardTo?: string
}

interface SendOptions extends GlobalOptions {
  example: string
  set: string[]
  forwardTo: string
}

/** Adds `events list`, `events show`, `events resend` and `events send`. */
export function addEventCommands(program: Command): void {
  const events = program.command('events').description('Past events of the feed')
  events
    .command('list')
    .description('List events, the newest last')
    .option('--events <names>', 'names or groups, such as payment.*, with commas between them', joined)
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
  events
    .command('send')
    .description('Send an event that did not happen: an example, composed and signed here')
    .requiredOption('--example <event>', `one of ${composableEvents.join(', ')}`)
    .option('--set <path=value>', 'set a field of the event, such as data.decline_reason=lost_card', collect, [])
    .requiredOption('--forward-to <url>', 'the receiver; a port alone is one of this machine')
    .action(async (_options, command: Command) => send(command.optsWithGlobals<SendOptions>()))
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
  showAnswer(
    await forwardEvent(await cobro.webhookEvents.retrieve(id), url, { secret: await signingSecret(connection) }),
    options,
  )
}

/** Needs a profile for its secret only: the API is not called. */
async function send({ example, set, forwardTo, ...options }: SendOptions): Promise<void> {
  const url = forwardingUrl(forwardTo)
  const event = composeEvent(example, set)
  const { name, profile } = profileOf(options)
  const secret = await signingSecret({ name, baseUrl: profile.base_url, webhookSecret: profile.webhook_secret })
  const sent = { id: event.id, event: event.event, sequence: null, payload: JSON.stringify(event) }
  showAnswer(await forwardEvent(sent, url, { secret }), options)
}

function showAnswer(forwarded: Forwarded, { output }: GlobalOptions): void {
  print(forwarded, formatOf(output))
  if (forwarded.status === null) process.exitCode = exitCodes.unreachable
  else if (forwarded.answer !== undefined) process.exitCode = exitCodes.refused
}
