import { appendFileSync } from 'node:fs'
import { FeedGapError, type FollowedEvent, InvalidRequestError } from '@cobro/sdk'
import type { Command } from 'commander'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { cursorFile } from '../feed/cursor-file.ts'
import { forwardEvent, forwardingUrl } from '../feed/forward-event.ts'
import { listenReport } from '../feed/listen-report.ts'
import { signingSecret } from '../feed/signing-secret.ts'
import { startOf } from '../feed/start-position.ts'
import { conditionOf } from '../feed/where.ts'
import { writeSecret } from '../feed/write-secret.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { printLine, tell } from '../output/print.ts'
import { scenarios } from '../scenarios/scenarios.ts'
import { collect } from './collect.ts'

interface ListenOptions extends GlobalOptions {
  forwardTo?: string
  events?: string
  where: string[]
  from?: string
  json?: boolean
  printSecret?: boolean
  writeSecret?: string
  until?: string
  save?: string
  production?: boolean
}

/** Adds `listen`, which receives events without a public URL. */
export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description('Receive events as they happen, and forward them to a receiver on this machine')
    .option('--forward-to <url>', 'the receiver; a port alone is one of this machine')
    .option('--events <names>', 'names or groups, such as payment.*, with commas between them')
    .option(
      '--where <path=value>',
      'only events whose field has this value, such as data.metadata.order=A-42',
      collect,
      [],
    )
    .option('--from <start>', 'now, last (where the last run ended), after a sequence, or an age such as 15m')
    .option('--json', 'print a line of JSON for each event and change of the connection')
    .option('--print-secret', 'print the secret that signs what is forwarded, and end')
    .option('--write-secret <file>', 'put the secret into a file as COBRO_WEBHOOK_SECRET')
    .option('--until <event>', 'end after an event of this name')
    .option('--save <file>', 'append each event to a file, as a line of JSON')
    .option('--production', 'listen to a deployment where money moves')
    .action(async (_options, command: Command) => listen(command.optsWithGlobals<ListenOptions>()))
}

async function listen(options: ListenOptions): Promise<void> {
  const { until, where, events } = options
  if (until !== undefined && !Object.hasOwn(scenarios, until)) {
    throw new CommandError(`There is no event ${until}.`, { hint: `Events: ${Object.keys(scenarios).join(', ')}` })
  }
  const url = options.forwardTo === undefined ? undefined : forwardingUrl(options.forwardTo)
  const matches = conditionOf(where)
  const connection = connect(options)
  const secret = await signingSecret(connection)
  if (options.printSecret) return printLine(secret)
  if (options.writeSecret) {
    writeSecret(options.writeSecret, secret)
    if (!options.quiet) tell(`${options.writeSecret} has the secret as COBRO_WEBHOOK_SECRET.`)
  }
  const merchant = await checkedMerchant(connection, options)
  const cursor = cursorFile(connection, [merchant, url, events, where])
  const after = await startOf(connection.cobro, options.from ?? 'last', cursor.read())
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const report = listenReport(options, url)
  const feed = connection.cobro.webhookEvents.follow({
    ...{ after, signal: stop.signal, ...report.connection },
    ...(events && { events: events.split(',') }),
    onPage: ({ through }) => cursor.write(through),
  })
  for await (const event of withHints(feed)) {
    if (!matches(event.event)) continue
    const forwarded =
      url === undefined ? undefined : await forwardEvent(asStored(event), url, { secret, signal: stop.signal })
    // It was not forwarded, and comes again the next time.
    if (stop.signal.aborted) break
    report.event(event, forwarded)
    if (options.save) appendFileSync(options.save, `${event.payload}\n`)
    cursor.write(event.sequence)
    if (event.event.event === until) return
  }
  process.exitCode = exitCodes.interrupted
}

const asStored = (event: FollowedEvent) => ({ ...event, event: event.event.event })

/** Passes events on. Says what to do about a position from which the feed cannot be read. */
async function* withHints(feed: AsyncIterable<FollowedEvent>): AsyncGenerator<FollowedEvent> {
  try {
    yield* feed
  } catch (error) {
    if (error instanceof FeedGapError) {
      const hint = `Go on after the gap with: cobro listen --from ${error.to}`
      throw new CommandError(error.message, { exitCode: exitCodes.refused, hint })
    }
    if (!(error instanceof InvalidRequestError)) throw error
    const hint = 'Start at the newest event with: cobro listen --from now'
    throw new CommandError(error.message, { exitCode: exitCodes.refused, hint })
  }
}

/** Returns the merchant whose events are read. */
async function checkedMerchant({ cobro }: Connection, { production }: ListenOptions): Promise<string | undefined> {
  const { environment, merchant } = await cobro.me()
  if (environment === 'sandbox' || production) return merchant?.id
  throw new CommandError('This profile is one of production.', { hint: 'Listen to it with: cobro listen --production' })
}
