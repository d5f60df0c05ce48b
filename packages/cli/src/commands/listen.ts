import { resolve } from 'node:path'
import type { Command } from 'commander'
import { detachListener, reportReady } from '../background/detach-listener.ts'
import { type ListenerKey, stopListeners } from '../background/listeners.ts'
import { saveMemory } from '../background/save-memory.ts'
import { nameOf } from '../background/stop-command.ts'
import { type Connection, connect, type GlobalOptions, profileName, profileOf } from '../connection/connect.ts'
import { takeFile } from '../connection/file-owner.ts'
import { forwardingUrl } from '../feed/forward-event.ts'
import { forwardFeed, type Listening } from '../feed/forward-feed.ts'
import { listenReport } from '../feed/listen-report.ts'
import { listenState, listenStatePath } from '../feed/listen-state.ts'
import { signingSecret } from '../feed/signing-secret.ts'
import { startOf } from '../feed/start-position.ts'
import { conditionOf } from '../feed/where.ts'
import { writeSecret } from '../feed/write-secret.ts'
import { CommandError, exitCodes } from '../output/failures.ts'
import { printLine, tell } from '../output/print.ts'
import { scenarios } from '../scenarios/scenarios.ts'
import { collect, joined } from './collect.ts'

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
  retries?: boolean
  timeScale?: string
  detach?: boolean
  stop?: boolean
  production?: boolean
}

/** Adds `listen`, which receives events without a public URL. */
export function addListenCommand(program: Command): void {
  program
    .command('listen')
    .description('Receive events as they happen, and forward them to a receiver on this machine')
    .option('--forward-to <url>', 'the receiver; a port alone is one of this machine')
    .option('--events <names>', 'names or groups, such as payment.*, with commas between them', joined)
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
    .option(
      '--retries',
      'send an event again that the receiver fails, after 30 s, 2 min, 10 min and 1 h, as webhooks are',
    )
    .option('--time-scale <factor>', 'multiply the delays of retries, such as by 0.01')
    .option('--detach', 'go on in the background; ends once it is ready')
    .option('--stop', "end the profile's listeners in the background, or the one of --forward-to")
    .option('--production', 'listen to a deployment where money moves')
    .action(async (_options, command: Command) => listen(command.optsWithGlobals<ListenOptions>()))
}

async function listen(options: ListenOptions): Promise<void> {
  const { where, events } = options
  const timeScale = checkedTimeScale(options)
  checkUntil(options)
  const url = options.forwardTo === undefined ? undefined : forwardingUrl(options.forwardTo)
  const matches = conditionOf(where)
  if (options.stop) return stop(options, url)
  const connection = connect(options)
  const secret = await signingSecret(connection)
  if (options.printSecret) return printLine(secret)
  if (options.writeSecret) {
    writeSecret(options.writeSecret, secret)
    if (!options.quiet) tell(`${options.writeSecret} has the secret as COBRO_WEBHOOK_SECRET.`)
  }
  saveMemory()
  const merchant = await checkedMerchant(connection, options)
  if (options.detach) {
    const about = { choices: choicesOf(options, merchant), hasStart: options.from !== undefined }
    process.exitCode = await detachListener(keyOf(options, url), { ...about, quiet: options.quiet ?? false })
    return
  }
  const path = listenStatePath(connection, [merchant, url, events, where])
  const giveUp = await takeFile(path)
  if (!giveUp) {
    const problem = `Another listener has the same events${url === undefined ? '' : ` for ${url}`}, and keeps their position.`
    throw new CommandError(problem, {
      exitCode: exitCodes.refused,
      hint: 'End it first, or listen with --events or --where.',
    })
  }
  try {
    const state = listenState(path)
    const after = await startOf(connection.cobro, options.from ?? 'last', state.current().sequence)
    const { save, until } = options
    const about = { ...{ state, after, matches, url, secret, save, until, timeScale }, events: events?.split(',') }
    const feed = connection.cobro.webhookEvents
    const reached = await forwardFeed({ ...about, feed, report: readyReport(options, url) }, interruption())
    if (!reached) process.exitCode = exitCodes.interrupted
  } finally {
    giveUp()
  }
}

/** Returns a signal that aborts when the command is interrupted. */
function interruption(): AbortSignal {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  return interrupted.signal
}

/** The report also says to the command that started this one in the background that it is ready. */
function readyReport(options: ListenOptions, url: string | undefined): Listening['report'] {
  const report = listenReport(options, url)
  const { onConnected } = report.connection
  return {
    ...report,
    connection: {
      ...report.connection,
      onConnected(page) {
        onConnected(page)
        reportReady()
      },
    },
  }
}

/** Ends listeners of the profile, also of a deployment that it had before. */
async function stop(options: ListenOptions, url: string | undefined): Promise<void> {
  const profile = profileName(options)
  const found = await stopListeners(
    listener => listener.profile === profile && (url === undefined || listener.forward_to === url),
  )
  if (options.quiet) return
  for (const listener of found) tell(`Stopped the listener for ${nameOf(listener)}.`)
  if (found.length === 0) tell(`No listener of the profile ${profile} runs in the background.`)
}

function keyOf(options: ListenOptions, url: string | undefined): ListenerKey {
  const { name, profile } = profileOf(options)
  return { profile: name, base_url: profile.base_url, forward_to: url ?? null }
}

/** What a listener that runs already has to have in common with a new one. */
function choicesOf(options: ListenOptions, merchant: string | undefined): string {
  const { events, where, until, save, json, retries, timeScale } = options
  return JSON.stringify([events, where, until, save && resolve(save), json, retries, timeScale, merchant])
}

function checkUntil({ until }: ListenOptions): void {
  if (until === undefined || Object.hasOwn(scenarios, until)) return
  throw new CommandError(`There is no event ${until}.`, { hint: `Events: ${Object.keys(scenarios).join(', ')}` })
}

function checkedTimeScale({ retries, timeScale = '1', forwardTo }: ListenOptions): number | undefined {
  const scale = Number(timeScale)
  if (!(scale > 0 && scale <= 1)) throw new CommandError('--time-scale is a number above 0, and at most 1.')
  if (retries && forwardTo === undefined) throw new CommandError('--retries needs a receiver: --forward-to.')
  if (!retries && scale !== 1) throw new CommandError('--time-scale is for --retries.')
  return retries ? scale : undefined
}

/** Returns the merchant whose events are read. */
async function checkedMerchant({ cobro }: Connection, { production }: ListenOptions): Promise<string | undefined> {
  const { environment, merchant } = await cobro.me()
  if (environment === 'sandbox' || production) return merchant?.id
  throw new CommandError('This profile is one of production.', { hint: 'Listen to it with: cobro listen --production' })
}
