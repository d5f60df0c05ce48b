import { showOutboxes } from './outboxes.ts'
import { listParked, requeueParked } from './parked.ts'
import { serviceCommand } from './service-commands.ts'
import { UsageFault } from './usage-fault.ts'

/** A command: what it was given → the exit code. */
type Command = (args: string[]) => Promise<number>

interface Described {
  takes?: string
  does: string
  run: Command
}

const commands: Record<string, Described> = {
  'parked list': {
    takes: '[queue]',
    does: 'messages that their consumer could not handle, and why',
    run: listParked,
  },
  'parked requeue': {
    takes: '<queue> <message id>… | --all',
    does: 'sends parked messages back to their consumer',
    run: requeueParked,
  },
  outbox: { does: 'what each service has not published yet', run: showOutboxes },
  'resync merchants': {
    does: 'tells every service again what each merchant is',
    run: serviceCommand('gateway', 'resync-merchants'),
  },
  'keys rotate': {
    does: 'signs access tokens with a new key; the old one still checks those that are out',
    run: serviceCommand('gateway', 'rotate-signing-key'),
  },
  'ledger check': {
    does: 'whether every figure follows from the entries; 1 where not',
    run: serviceCommand('transactions', 'ledger-check'),
  },
  'refund transferred': {
    takes: '<refund id> --by <name>',
    does: 'writes down who has transferred what the acquirer cannot give back',
    run: serviceCommand('transactions', 'refund-transferred'),
  },
  'audit verify': {
    takes: '[--checkpoint FILE]',
    does: 'hashes the audit log again and checks what signs it; 1 where it does not fit',
    run: serviceCommand('audit-log', 'verify'),
  },
}

const lines = Object.entries(commands).map(
  ([name, { takes = '', does }]) => `  ${`${name} ${takes}`.padEnd(46)}${does}`,
)

/** What there is, for whoever asks or mistypes. */
export const usage = `Usage: pnpm ops <command>

${lines.join('\n')}

They work on the stack that runs here, or where the environment says: AMQP_URL and AMQP_NAMESPACE for what is parked,
POSTGRES_URL (a login with cobro_operator) for outboxes, and for the last five the settings of the service whose command it is.
Exit codes: 0 done, 1 not done or not in order, 2 not understood.
`

/** Finds a command by its one or two words. */
export function commandOf(topic: string, verb: string): Command {
  const two = commands[`${topic} ${verb}`]
  if (two) return two.run
  const one = Object.hasOwn(commands, topic) ? commands[topic] : undefined
  if (!one) throw new UsageFault(`There is no command ${[topic, verb].filter(Boolean).join(' ')}.`)
  return args => one.run(verb === '' ? args : [verb, ...args])
}
