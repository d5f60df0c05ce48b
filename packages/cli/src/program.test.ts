import type { Command } from 'commander'
import { CommandError, exitCodes } from './output/failures.ts'
import { buildProgram } from './program.ts'

test.each([
  [['sessions', 'creat'], '(Did you mean create?)'],
  [['nothing'], 'unknown command'],
  [['sessions', 'create', '--amount', '100'], 'There is no field amount.'],
  [['sessions', 'create', '--meta.order', 'A'], 'There is no field meta.order.'],
  [['sessions', 'create', '--amount_totl', '1'], 'Did you mean: amount_total'],
  [['trigger', 'payment.payed'], 'There is no event payment.payed.'],
  [['trigger', 'payment.approved', '--set', 'metdata.order=A'], 'There is no field metdata.order.'],
  [['trigger', 'payment.approved', '--set', 'session.amont_total=1'], 'Did you mean: amount_total'],
  [['trigger', 'payment.approved', '--set', '__proto__.x=1'], 'There is no field __proto__.x.'],
  [['listen', '--where', 'nonsense'], 'Expected a condition'],
  [['open', '../evil'], '../evil is no page.'],
  [['run', '/nowhere.yaml'], 'Cannot read /nowhere.yaml.'],
  [['listen', '--retries'], '--retries needs a receiver'],
  [['listen', '--forward-to', '1', '--retries', '--time-scale', '2'], '--time-scale is a number'],
  [['listen', '--forward-to', '1', '--time-scale', '0.1'], '--time-scale is for --retries'],
  [['transactions', 'list', '--output', 'xml'], '--output is one of'],
  [['events', 'send', '--example', 'payment.approved'], "required option '--forward-to <url>' not specified"],
  [['events', 'resend', 'evt_1'], 'State either --to or --forward-to.'],
  [['events', 'resend', 'evt_1', '--forward-to', 'ftp://x'], 'no http URL to forward to'],
  [['transactions', 'refund', 'txn_1', '--amount', '100'], 'There is no field amount.'],
  [['sessions', 'retrieve', '--foo'], 'Expected an id, got --foo.'],
  [['me', 'extra'], 'Unexpected argument: extra.'],
  [['listen', '--until', 'payment.aproved'], 'There is no event payment.aproved.'],
  [['login', '--profile', 'local'], 'needs no login'],
])('cobro %j is wrong usage, and says why', async (args, words) => {
  const failure = await buildProgram()
    .parseAsync(args, { from: 'user' })
    .catch((caught: unknown) => caught)
  expect(failure).toBeInstanceOf(CommandError)
  const { message, hint = '', exitCode } = failure as CommandError
  expect([exitCode, `${message}\n${hint}`]).toEqual([exitCodes.usage, expect.stringContaining(words)])
})

test('each command, argument and option says what it is', () => {
  const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]
  const unsaid = commandsOf(buildProgram()).flatMap(command => [
    ...(command.description() === '' ? [command.name()] : []),
    ...command.options.filter(({ description }) => description === '').map(({ flags }) => `${command.name()} ${flags}`),
  ])
  expect(unsaid).toEqual([])
})
