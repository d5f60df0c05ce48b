import { buildProgram } from '@cobro/cli/program'
import { operations } from '@cobro/contracts'
import { sdkOperations } from '@cobro/generate/sdk-operations'
import { apiDescription } from '@cobro/http/openapi'
import { exampleUrl } from '../site/example-url.ts'
import { callExamples } from './call-examples.ts'
import { exampleInput } from './example-input.ts'

const description = apiDescription({ serverUrl: exampleUrl })
const { schemas } = description.components
const described = sdkOperations(description)

test.each(described.filter(({ body }) => body))('the example of $id is one that its contract accepts', operation => {
  const contract = operations.find(({ id }) => id === operation.id)?.body
  expect(contract?.safeParse(exampleInput(operation, schemas)).error).toBeUndefined()
})

test('an example has no more than the operation needs', () => {
  const operation = described.find(({ id }) => id === 'createCheckoutSession')
  if (!operation) throw new Error('There is no createCheckoutSession.')
  expect(Object.keys(exampleInput(operation, schemas) ?? {})).toEqual(['amount_total', 'return_url'])
  expect(callExamples(operation, schemas)).toContain(`curl ${exampleUrl}/checkout/v1/sessions`)
})

test('operations of users are called with a token, and those that neither keys nor users call have no TypeScript', () => {
  const examples = (name: string) => described.filter(({ id }) => id === name).map(one => callExamples(one, schemas))[0]
  expect(examples('createUser')).toContain('Authorization: Bearer $COBRO_TOKEN')
  expect(examples('createUser')).toContain('await admin.users.create({')
  expect(examples('payHostedSession')).not.toContain('typescript')
  expect(examples('payHostedSession')).not.toContain('Authorization')
})

const commands = described.flatMap(operation => {
  const command = /^cobro .*$/m.exec(callExamples(operation, schemas))?.[0]
  return command === undefined ? [] : [command]
})

test.each(commands)('%s is a command, and shows no secret to others on the machine', command => {
  const [, first, second] = command.split(' ')
  const group = buildProgram().commands.find(one => one.name() === first || one.aliases().includes(String(first)))
  const names = group?.commands.map(one => one.name()) ?? []
  expect(group).toBeDefined()
  if (names.length > 0) expect(names).toContain(second)
  expect(command).not.toContain('--password')
})
