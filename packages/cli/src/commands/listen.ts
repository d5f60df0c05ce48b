import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { FollowedEvent } from '@cobro/sdk'
import { FeedGapError } from '@cobro/sdk'
import type { Command } from 'commander'
import { type Connection, connect, type GlobalOptions } from '../connection/connect.ts'
import { cursorFile } from '../feed/cursor-file.ts'
import { forwardEvent, forwardingUrl } from '../feed/forward-event.ts'
import { signingSecret } from '../feed/signing-secret.ts'
import { startOf } from '../feed/start-position.ts'
import { conditionOf } from '../feed/where.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { tell } from '../output/print.ts'

interface ListenOptions extends GlobalOptions {
  forwardTo?: string
  events?: string
  where?: string[]
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
    .option('--where <path=value...>', 'only events whose field has this value, such as data.metadata.order=A-42')
    .option('--from <start>', 'now, last (where the last run ended), a sequence, or an age such as 15m')
    .option('--json', 'print a line of JSON for each event and change of the connection')
    .option('--print-secret', 'print the secret that signs what is forwarded, and end')
    .option('--write-secret <file>', 'put the secret into a file as COBRO_WEBHOOK_SECRET')
    .option('--until <event>', 'end after an event of this name')
    .option('--save <file>', 'append each event to a file, as a line of JSON')
    .option('--production', 'listen to a deployment where money moves')
    .action(async (_options, command: Command) => listen(command.optsWithGlobals<ListenOptions>()))
}

async function listen(options: ListenOptions): Promise<void> {
  const connection = connect(options)
  const secret = signingSecret(connection)
  if (options.printSecret) return void process.stdout.write(`${secret}\n`)
  if (options.writeSecret) writeSecret(options.writeSecret, secret)
  await checkEnvironment(connection, options)
  const url = options.forwardTo === undefined ? undefined : forwardingUrl(options.forwardTo)
  const cursor = cursorFile(connection, url ?? 'terminal')
  const after = await startOf(connection.cobro, options.from ?? 'last', cursor.read())
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const matches = conditionOf(options.where ?? [])
  const report = reporter(options, url)
  const events = connection.cobro.webhookEvents.follow({
    after,
    ...(options.events && { events: options.events.split(',') }),
    signal: stop.signal,
    onConnected: ({ through, head }) => report.connected(through, head),
    onDisconnected: error => report.disconnected(error),
  })
  try {
    for await (const event of events) {
      if (matches(event.event)) {
        const forwarded = url === undefined ? undefined : await forwardEvent(asStored(event), url, secret)
        report.event(event, forwarded)
        if (options.save) appendFileSync(options.save, `${event.payload}\n`)
      }
      cursor.write(event.sequence)
      if (options.until !== undefined && event.event.event === options.until && matches(event.event)) return
    }
  } catch (error) {
    if (error instanceof FeedGapError) report.gap(error)
    throw error
  }
  process.exitCode = exitCodes.interrupted
}

const asStored = (event: FollowedEvent) => ({ ...event, event: event.event.event })

async function checkEnvironment({ cobro }: Connection, { production }: ListenOptions): Promise<void> {
  const { environment } = await cobro.me()
  if (environment !== 'production' || production) return
  throw new CommandError('This profile is one of production.', { hint: 'Listen to it with: cobro listen --production' })
}

function writeSecret(file: string, secret: string): void {
  const line = `COBRO_WEBHOOK_SECRET=${secret}`
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {}
  const others = text.split('\n').filter(one => !one.startsWith('COBRO_WEBHOOK_SECRET=') && one !== '')
  writeFileSync(file, `${[...others, line].join('\n')}\n`, { mode: 0o600 })
  tell(`${file} has the secret as COBRO_WEBHOOK_SECRET.`)
}

interface Reporter {
  connected(through: number, head: number): void
  disconnected(error: Error): void
  event(event: FollowedEvent, forwarded: Awaited<ReturnType<typeof forwardEvent>> | undefined): void
  gap(error: FeedGapError): void
}

/** Says what happens, as lines for people or as lines of JSON. */
function reporter(options: ListenOptions, url: string | undefined): Reporter {
  const line = (type: string, fields: object) => process.stdout.write(`${JSON.stringify({ type, ...fields })}\n`)
  let lostAt: Date | undefined
  let ready = false
  return {
    connected(through, head) {
      if (ready) options.json ? line('connected', { lost_at: lostAt }) : tell('Connected again; nothing was missed.')
      else if (options.json) line('ready', { through, head })
      else if (!options.quiet) tell(`Ready. Events are ${url ? `forwarded to ${url}` : 'printed here'}. Ctrl+C ends.`)
      ready = true
      lostAt = undefined
    },
    disconnected({ message }) {
      lostAt = new Date()
      if (options.json) line('disconnected', { lost_at: lostAt, reason: message })
      else tell(`Disconnected since ${lostAt.toISOString()}; trying again.`)
    },
    event({ sequence, event, payload }, forwarded) {
      if (options.json)
        return void line('event', { ...(forwarded ?? { event: event.event, id: event.id, sequence }), payload })
      const result = forwarded ? ` → ${forwarded.status ?? 'no answer'} (${forwarded.ms} ms)` : ''
      process.stdout.write(
        `${event.created_at}  ${String(sequence).padStart(6)}  ${event.event}  ${event.data.id}${result}\n`,
      )
      if (forwarded?.answer !== undefined) tell(`  ${forwarded.answer}`)
    },
    gap({ from, to }) {
      if (options.json) line('gap', { from, to })
    },
  }
}
