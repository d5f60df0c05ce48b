import { jest } from '@jest/globals'
import { understand, usage } from './commands.ts'
import { UsageFault } from './usage-fault.ts'

test.each([
  ['dead-letters', 'There is no command dead-letters.'],
  ['dead-letters list nowhere', 'There is no queue nowhere: expected one of '],
  ['dead-letters list checkout.events audit-log.events', 'Too much was given: audit-log.events.'],
  ['dead-letters list --all', "Unknown option '--all'"],
  ['dead-letters requeue', 'There is no queue '],
  ['dead-letters requeue --all', 'There is no queue '],
  ['dead-letters requeue checkout.events', 'Name the messages, or say --all.'],
  ['dead-letters requeue checkout.events evt_1 --all', 'Name the messages, or say --all.'],
  ['dead-letters requeue checkout.events --every', "Unknown option '--every'"],
  ['outbox gateway', 'Too much was given: gateway.'],
  ['outbox --json', "Unknown option '--json'"],
  ['resync merchants mrc_1', 'Too much was given: mrc_1.'],
  ['resync merchants --dry-run', "Unknown option '--dry-run'"],
  ['keys rotate now', 'Too much was given: now.'],
  ['keys rotate --dry-run', "Unknown option '--dry-run'"],
  ['ledger check mrc_1', 'Too much was given: mrc_1.'],
  ['ledger check -q', "Unknown option '-q'"],
  ['refund transferred', 'Name the refund that was transferred, and by --by who did it.'],
  ['refund transferred rfd_1', 'Name the refund that was transferred, and by --by who did it.'],
  ['refund transferred --by Ana', 'Name the refund that was transferred, and by --by who did it.'],
  ['refund transferred rfd_1 --by=', 'Name the refund that was transferred, and by --by who did it.'],
  ['refund transferred rfd_1 --by', "Option '--by <value>' argument missing"],
  ['refund transferred rfd_1 rfd_2 --by Ana', 'Too much was given: rfd_2.'],
  ['refund transferred rfd_1 --force', "Unknown option '--force'"],
  ['audit verify checkpoints.ndjson', 'Too much was given: checkpoints.ndjson.'],
  ['audit verify --checkpoint', "Option '--checkpoint <value>' argument missing"],
  ['audit verify --checkpoints file', "Unknown option '--checkpoints'"],
  ['constructor', 'There is no command constructor.'],
  ['dead --help', 'There is no command dead.'],
  ['dead-letters lst --help', 'There is no command dead-letters lst.'],
])('%s is not understood', (line, words) => {
  const understanding = () => understand(line.split(' '))
  expect(understanding).toThrow(UsageFault)
  expect(understanding).toThrow(words)
})

const names = [
  ...['dead-letters list', 'dead-letters requeue', 'outbox', 'resync merchants', 'keys rotate', 'ledger check'],
  ...['refund transferred', 'audit verify'],
]

test.each([
  ...names.flatMap(name => [
    [`${name} --help`, [name]],
    [`${name} -h`, [name]],
    [`--help ${name}`, [name]],
    [`help ${name}`, [name]],
  ]),
  ['dead-letters --help', ['dead-letters list', 'dead-letters requeue']],
  ['dead-letters requeue checkout.events --all --help', ['dead-letters requeue']],
  ['refund transferred rfd_1 -h', ['refund transferred']],
  ['parked list --help', ['dead-letters list']],
  ['--help', names],
  ['help', names],
] as [string, string[]][])('%s tells of the command and does not carry it out', async (line, told) => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  const code = await understand(line.split(' '))()
  const text = write.mock.calls.join('')
  write.mockRestore()
  expect(code).toBe(0)
  expect(names.filter(name => text.includes(`\n  ${name} `))).toEqual(told)
  expect(text).toContain('Exit codes: 0 ')
})

test('every command is told of, in lines that fit a terminal', () => {
  const lines = usage.split('\n').filter(line => line.startsWith('  '))
  expect(lines).toHaveLength(8)
  expect(lines.filter(line => line.length > 130)).toEqual([])
})
