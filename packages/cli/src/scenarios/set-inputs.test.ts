import { methodCommands } from '../generated/method-commands.ts'
import { CommandError } from '../output/failures.ts'
import { scenarios } from './scenarios.ts'
import { withInputs } from './set-inputs.ts'

/** A field that is no object, of the first call of each scenario, without its last letter or with a wrong one. */
const wrongPaths = Object.entries(scenarios).flatMap(([event, steps]) => {
  const [first] = steps.filter(step => 'call' in step)
  const names = Object.keys(methodCommands[first?.call ?? '']?.fields ?? {}).filter(name => !name.endsWith('.*'))
  return names.slice(0, 5).map(name => ({ event, steps, path: `${name.slice(0, -1)}z` }))
})

test('there are at least fifty wrong paths to refuse', () => {
  expect(wrongPaths.length).toBeGreaterThanOrEqual(50)
})

test.each(wrongPaths)('$event has no input $path, and its refusal names what it has', ({ steps, path }) => {
  const set = () => withInputs(steps, [`${path}=1`])
  expect(set).toThrow(CommandError)
  expect(set).toThrow(expect.objectContaining({ hint: expect.stringMatching(/^(Did you mean|The fields are): \w/) }))
})

test('an input of one step of several is named by the step', () => {
  const steps = withInputs(scenarios['payment.refunded'] ?? [], ['session.amount_total=9900', 'metadata.order=A-42'])
  expect(steps[0]).toMatchObject({ id: 'session', with: { amount_total: 9900, metadata: { order: 'A-42' } } })
})
