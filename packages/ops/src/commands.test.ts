import { commandOf, usage } from './commands.ts'
import { UsageFault } from './usage-fault.ts'

test.each([
  ['parked', '', [], 'There is no command parked.'],
  ['parked', 'list', ['nowhere'], 'There is no queue nowhere: expected one of '],
  ['parked', 'list', ['checkout.events', 'audit-log.events'], 'Only one queue can be named.'],
  ['parked', 'requeue', [], 'There is no queue '],
  ['parked', 'requeue', ['--all'], 'There is no queue '],
  ['parked', 'requeue', ['checkout.events'], 'Name the messages, or say --all.'],
  ['parked', 'requeue', ['checkout.events', 'evt_1', '--all'], 'Name the messages, or say --all.'],
  ['parked', 'requeue', ['checkout.events', '--every'], "Unknown option '--every'"],
  ['constructor', '', [], 'There is no command constructor.'],
])('%s %s %j is not understood', async (topic, verb, args, words) => {
  const running = (async () => commandOf(topic, verb)(args))()
  await expect(running).rejects.toThrow(UsageFault)
  await expect(running).rejects.toThrow(words)
})

test('every command is told of, in lines that fit a terminal', () => {
  const lines = usage.split('\n').filter(line => line.startsWith('  '))
  expect(lines).toHaveLength(8)
  expect(lines.filter(line => line.length > 130)).toEqual([])
})
