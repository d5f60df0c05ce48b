import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { scenarioFile } from './read-scenario.ts'
import { scenarioSchema } from './scenario-schema.ts'
import { scenarios } from './scenarios.ts'

const isValid = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(scenarioSchema())

test.each(Object.entries(scenarios))('the scenario of %s is one of its schema', (_event, steps) => {
  isValid(parse(scenarioFile(steps)))
  expect(isValid.errors).toBeNull()
})

test.each([
  ['another version', { cobro: 2, steps: [{ payAgain: 'cs_1' }] }],
  ['no steps', { cobro: 1, steps: [] }],
  ['an unknown key', { cobro: 1, steps: [{ payAgain: 'cs_1', card: '4242424242424242' }] }],
  ['an unknown method', { cobro: 1, steps: [{ call: 'transactions.refnd', with: { id: 'txn_1' } }] }],
  ['an unknown field', { cobro: 1, steps: [{ call: 'checkout.sessions.create', with: { amount: 100 } }] }],
  ['a call without its id', { cobro: 1, steps: [{ call: 'transactions.refund' }] }],
  ['an unknown event', { cobro: 1, steps: [{ await: 'payment.aproved' }] }],
  ['a repeated write', { cobro: 1, steps: [{ call: 'transactions.refund', with: { id: 'txn_1' }, until: {} }] }],
])('a file with %s is refused', (_what, file) => {
  expect(isValid(file)).toBe(false)
})
