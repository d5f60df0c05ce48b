import { listDeadLetters, requeueDeadLetters } from './dead-letter-commands.ts'
import { showOutboxes } from './outboxes.ts'
import { noteTransferred, plainCommand, verifyAudit } from './service-commands.ts'
import { UsageFault } from './usage-fault.ts'

/** Carries a command out → the exit code. */
type Run = () => Promise<number>

interface Command {
  takes?: string
  does: string
  /** Checks all that the command was given before any of it is carried out. Throws where it is not understood. */
  read: (args: string[]) => Run
}

const commands: Record<string, Command> = {
  'dead-letters list': {
    takes: '[queue]',
    does: 'lists the messages that their consumer could not handle, with the reason',
    read: listDeadLetters,
  },
  'dead-letters requeue': {
    takes: '<queue> <message id>… | --all',
    does: 'sends dead letters back to their consumer',
    read: requeueDeadLetters,
  },
  outbox: { does: 'what each service has not published yet', read: showOutboxes },
  'resync merchants': {
    does: 'tells every service again what each merchant is',
    read: plainCommand('gateway', 'resync-merchants'),
  },
  'keys rotate': {
    does: 'signs access tokens with a new key; the old one still checks those that are out',
    read: plainCommand('gateway', 'rotate-signing-key'),
  },
  'ledger check': {
    does: 'whether every figure follows from the entries; 1 where not',
    read: plainCommand('transactions', 'ledger-check'),
  },
  'refund transferred': {
    takes: '<refund id> --by <name>',
    does: 'writes down who has transferred what the acquirer cannot give back',
    read: noteTransferred,
  },
  'audit verify': {
    takes: '[--checkpoint FILE]',
    does: 'hashes the audit log again and checks what signs it; 1 where it does not fit',
    read: verifyAudit,
  },
}

const linesOf = (names: string[]) =>
  names.map(name => `  ${`${name} ${commands[name]?.takes ?? ''}`.padEnd(46)}${commands[name]?.does}`).join('\n')

const exitCodes = 'Exit codes: 0 done, 1 not done or not in order, 2 not understood.\n'

/** What there is, for whoever asks or mistypes. */
export const usage = `Usage: pnpm ops <command>

${linesOf(Object.keys(commands))}

They work on the stack that runs here, or where the environment says: AMQP_URL and AMQP_NAMESPACE for dead letters,
POSTGRES_URL (a login with cobro_operator) for outboxes, and for the last five the settings of the service whose command it is.
With --help a command is told of and not carried out.
${exitCodes}`

const helpWords = new Set(['help', '--help', '-h'])

/** Finds what was asked for by its one or two words, and checks what it is given. Throws where it is not understood. */
export function understand(given: string[]): Run {
  // Earlier releases called these commands `parked …`, and scripts may still do so.
  const asked = given.map((word, place) => (place === 0 && word === 'parked' ? 'dead-letters' : word))
  const words = asked.filter((word, place) => !helpWords.has(word) || (word === 'help' && place > 0))
  if (words.length < asked.length) return tell(usageOf(words))
  const name = Object.keys(commands).find(name => beginsWith(asked, name.split(' ')))
  const command = name === undefined ? undefined : commands[name]
  if (!name || !command) throw unknown(asked)
  return command.read(asked.slice(name.split(' ').length))
}

/** The usage of the commands that these words name, or begin to name. */
function usageOf(words: string[]): string {
  if (words.length === 0) return usage
  const meant = Object.keys(commands).filter(name => {
    const parts = name.split(' ')
    return beginsWith(words, parts) || beginsWith(parts, words)
  })
  if (meant.length === 0) throw unknown(words)
  return `Usage: pnpm ops <command>\n\n${linesOf(meant)}\n\n${exitCodes}`
}

const beginsWith = (words: string[], parts: string[]) => parts.every((part, place) => words[place] === part)

const unknown = (words: string[]) => new UsageFault(`There is no command ${words.slice(0, 2).join(' ')}.`)

const tell = (text: string) => async () => {
  process.stdout.write(text)
  return 0
}
