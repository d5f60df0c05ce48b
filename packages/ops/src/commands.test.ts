import { parseCommand, usage } from './commands.ts'
import { UsageError } from './usage-error.ts'

test.each([
  ['dead-letters', 'Unknown command: dead-letters.'],
  ['dead-letters list nowhere', 'Unknown queue nowhere: expected one of '],
  ['dead-letters list checkout.events audit-log.events', 'Unexpected arguments: audit-log.events.'],
  ['dead-letters list --all', "Unknown option '--all'"],
  ['dead-letters requeue', 'Unknown queue '],
  ['dead-letters requeue --all', 'Unknown queue '],
  ['dead-letters requeue checkout.events', 'Name the messages, or use --all.'],
  ['dead-letters requeue checkout.events evt_1 --all', 'Name the messages, or use --all.'],
  ['dead-letters requeue checkout.events --every', "Unknown option '--every'"],
  ['dead-letters discard', 'Unknown queue '],
  ['dead-letters discard checkout.events', 'Name the messages to discard.'],
  ['dead-letters discard checkout.events --all', "Unknown option '--all'"],
  ['outbox gateway', 'Unexpected arguments: gateway.'],
  ['outbox --json', "Unknown option '--json'"],
  ['page verify', 'Give the address of a page, '],
  ['page verify pay.example.com', 'Give the address of a page, '],
  ['page verify ftp://pay.example.com', 'Give the address of a page, '],
  ['page verify https://pay.example.com https://a.example', 'Unexpected arguments: https://a.example.'],
  ['page verify https://pay.example.com --insecure', "Unknown option '--insecure'"],
  ['rabbitmq logins checkout', 'Unexpected arguments: checkout.'],
  ['rabbitmq logins --suffix a.b', '--suffix: expected 1 to 32 letters, digits, - or _.'],
  ['resync merchants mrc_1', 'Unexpected arguments: mrc_1.'],
  ['resync merchants --dry-run', "Unknown option '--dry-run'"],
  ['keys rotate now', 'Unexpected arguments: now.'],
  ['keys rotate --dry-run', "Unknown option '--dry-run'"],
  ['ledger check mrc_1', 'Unexpected arguments: mrc_1.'],
  ['ledger check -q', "Unknown option '-q'"],
  ['refund transferred', 'Give the id of the transferred refund, and who transferred it with --by.'],
  ['refund transferred rfd_1', 'Give the id of the transferred refund, and who transferred it with --by.'],
  ['refund transferred --by Ana', 'Give the id of the transferred refund, and who transferred it with --by.'],
  ['refund transferred rfd_1 --by=', 'Give the id of the transferred refund, and who transferred it with --by.'],
  ['refund transferred rfd_1 --by', "Option '--by <value>' argument missing"],
  ['refund transferred rfd_1 rfd_2 --by Ana', 'Unexpected arguments: rfd_2.'],
  ['refund transferred rfd_1 --force', "Unknown option '--force'"],
  ['payer', 'Unknown command: payer.'],
  ['payer export', 'Give the e-mail address of the payer'],
  ['payer export ana', 'Give the e-mail address of the payer'],
  ['payer export ana@example.com b@example.com', 'Unexpected arguments: b@example.com.'],
  ['payer erase', 'Give the e-mail address of the payer'],
  ['payer erase ana@example', 'Give the e-mail address of the payer'],
  ['payer erase --all', "Unknown option '--all'"],
  ['payer erase ana@example.com --by=', '--by: expected the name of the person who runs the command'],
  ['audit verify checkpoints.ndjson', 'Unexpected arguments: checkpoints.ndjson.'],
  ['reconcile --days 0', '--days: expected a number of days from 1 to 9999.'],
  ['audit accept-restore', 'Give the reason for the restore with --reason.'],
  ['audit accept-restore --reason', "Option '--reason <value>' argument missing"],
  ['audit verify --checkpoint', "Option '--checkpoint <value>' argument missing"],
  ['audit verify --checkpoints file', "Unknown option '--checkpoints'"],
  ['constructor', 'Unknown command: constructor.'],
  ['dead --help', 'Unknown command: dead.'],
  ['dead-letters lst --help', 'Unknown command: dead-letters lst.'],
])('rejects the arguments: %s', async (line, words) => {
  const parsed = parseCommand(line.split(' '))
  await expect(parsed).rejects.toThrow(UsageError)
  await expect(parsed).rejects.toThrow(words)
})

const names = [
  ...['dead-letters list', 'dead-letters requeue', 'dead-letters discard', 'outbox', 'page verify', 'rabbitmq logins'],
  ...[
    'resync merchants',
    'keys rotate',
    'ledger check',
    'reconcile',
    'refund transferred',
    'payer export',
    'payer erase',
    'audit verify',
    'audit accept-restore',
  ],
]

test.each([
  ...names.flatMap(name => [
    [`${name} --help`, [name]],
    [`${name} -h`, [name]],
    [`--help ${name}`, [name]],
    [`help ${name}`, [name]],
  ]),
  ['dead-letters --help', ['dead-letters list', 'dead-letters requeue', 'dead-letters discard']],
  ['dead-letters requeue checkout.events --all --help', ['dead-letters requeue']],
  ['refund transferred rfd_1 -h', ['refund transferred']],
  ['parked list --help', ['dead-letters list']],
  ['--help', names],
  ['help', names],
] as [string, string[]][])('pnpm ops %s prints the usage without running a command', async (line, expected) => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  const run = await parseCommand(line.split(' '))
  const code = await run()
  const text = write.mock.calls.join('')
  write.mockRestore()
  expect(code).toBe(0)
  expect(names.filter(name => text.includes(`\n  ${name} `))).toEqual(expected)
  expect(text).toContain('Exit codes: 0 ')
})

test('the usage lists every command in lines of at most 130 characters', () => {
  const lines = usage.split('\n').filter(line => line.startsWith('  '))
  expect(lines).toHaveLength(15)
  expect(lines.filter(line => line.length > 130)).toEqual([])
})
