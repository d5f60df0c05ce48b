import { UsageError } from './usage-error.ts'

/** Runs a command and returns its exit code. */
type Run = () => Promise<number>

interface Command {
  arguments?: string
  summary: string
  /**
   * Imports the command, and returns a function that checks all arguments before anything runs and throws a UsageError
   * if they are invalid. A start imports one command only: the modules of all take half a second to load.
   */
  load: () => Promise<(args: string[]) => Run>
}

const deadLetterCommands = () => import('./dead-letter-commands.ts')
const serviceCommands = () => import('./service-commands.ts')
const payerData = () => import('./payer-data.ts')

const commands: Record<string, Command> = {
  'dead-letters list': {
    arguments: '[queue]',
    summary: 'lists the messages that their consumer could not handle, with the reason',
    load: async () => (await deadLetterCommands()).listDeadLetters,
  },
  'dead-letters requeue': {
    arguments: '<queue> <message id>… | --all',
    summary: 'sends dead letters back to their consumer',
    load: async () => (await deadLetterCommands()).requeueDeadLetters,
  },
  'dead-letters discard': {
    arguments: '<queue> <message id>…',
    summary: 'prints dead letters in full, then deletes them',
    load: async () => (await deadLetterCommands()).discardDeadLetters,
  },
  outbox: {
    summary: 'shows the messages that each service has not published yet',
    load: async () => (await import('./outboxes.ts')).showOutboxes,
  },
  'page verify': {
    arguments: '<url> [--logo <origin>]',
    summary: "compares the payer's page at its public URL with this build",
    load: async () => (await import('./verify-page.ts')).verifyPage,
  },
  'rabbitmq logins': {
    arguments: '[--suffix <text>] [--vhost <name>]',
    summary: 'prints logins for RabbitMQ with their rights; reads their passwords as JSON',
    load: async () => (await import('./rabbitmq-logins.ts')).printLogins,
  },
  'resync merchants': {
    summary: 'publishes every merchant again, so that services update their copies',
    load: async () => (await serviceCommands()).commandWithoutArguments('gateway', 'resync-merchants'),
  },
  'keys rotate': {
    summary: 'signs access tokens with a new key; tokens signed with the old key stay valid',
    load: async () => (await serviceCommands()).commandWithoutArguments('gateway', 'rotate-signing-key'),
  },
  'ledger check': {
    summary: 'checks that every balance matches the ledger entries; exits with 1 if not',
    load: async () => (await serviceCommands()).commandWithoutArguments('transactions', 'ledger-check'),
  },
  reconcile: {
    arguments: '[--days N]',
    summary: 'compares sessions, links, payments and the ledger; exits with 1 on a difference',
    load: async () => (await import('./reconcile.ts')).reconcile,
  },
  'refund transferred': {
    arguments: '<refund id> --by <name>',
    summary: 'records who transferred a refund that the acquirer cannot pay',
    load: async () => (await serviceCommands()).recordTransfer,
  },
  'payer export': {
    arguments: '<email> [--by <name>]',
    summary: 'prints everything that is held about a payer as JSON',
    load: async () => (await payerData()).exportPayer,
  },
  'payer erase': {
    arguments: '<email> [--by <name>]',
    summary: "erases a payer's e-mail and name; run again later, it finishes what waits",
    load: async () => (await payerData()).erasePayer,
  },
  'audit verify': {
    arguments: '[--checkpoint FILE]',
    summary: 'verifies the hashes and signatures of the audit log; exits with 1 on a mismatch',
    load: async () => (await serviceCommands()).verifyAudit,
  },
  'audit accept-restore': {
    arguments: '--reason <text>',
    summary: 'lets the audit log continue after its database was restored from a backup',
    load: async () => (await serviceCommands()).acceptRestore,
  },
}

const linesOf = (names: string[]) =>
  names.map(name => `  ${`${name} ${commands[name]?.arguments ?? ''}`.padEnd(46)}${commands[name]?.summary}`).join('\n')

const exitCodes = 'Exit codes: 0 success, 1 failure or a failed check, 2 invalid arguments.\n'

/** The usage, printed with --help and after invalid arguments. */
export const usage = `Usage: pnpm ops <command>

${linesOf(Object.keys(commands))}

Commands use the running local stack, or the environment: AMQP_URL and AMQP_NAMESPACE for dead letters, POSTGRES_URL
(a login with the role cobro_operator) for outbox and reconcile, CHECKOUT_DATABASE_URL, TRANSACTIONS_DATABASE_URL,
WEBHOOKS_DATABASE_URL and GATEWAY_DATABASE_URL for payers, and the settings of the service for the other commands that a
service runs.
--help prints the usage of a command without running it.
${exitCodes}`

const helpWords = new Set(['help', '--help', '-h'])

/** Finds a command by its words and parses its arguments. Throws a UsageError if one is invalid. */
export async function parseCommand(given: string[]): Promise<Run> {
  // Earlier releases called these commands `parked …`, and scripts may still do so.
  const asked = given.map((word, place) => (place === 0 && word === 'parked' ? 'dead-letters' : word))
  const words = asked.filter((word, place) => !helpWords.has(word) || (word === 'help' && place > 0))
  if (words.length < asked.length) return print(usageOf(words))
  const name = Object.keys(commands).find(name => startsWith(asked, name.split(' ')))
  const command = name === undefined ? undefined : commands[name]
  if (!name || !command) throw unknown(asked)
  const parse = await command.load()
  return parse(asked.slice(name.split(' ').length))
}

/** Returns the usage of the commands that start with these words. */
function usageOf(words: string[]): string {
  if (words.length === 0) return usage
  const matches = Object.keys(commands).filter(name => {
    const parts = name.split(' ')
    return startsWith(words, parts) || startsWith(parts, words)
  })
  if (matches.length === 0) throw unknown(words)
  return `Usage: pnpm ops <command>\n\n${linesOf(matches)}\n\n${exitCodes}`
}

const startsWith = (words: string[], parts: string[]) => parts.every((part, place) => words[place] === part)

const unknown = (words: string[]) => new UsageError(`Unknown command: ${words.slice(0, 2).join(' ')}.`)

const print = (text: string) => async () => {
  process.stdout.write(text)
  return 0
}
