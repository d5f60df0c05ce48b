import { readScenario, scenarioFile } from './read-scenario.ts'
import { scenarios, testScenario } from './scenarios.ts'

const file = (...steps: string[]) => `cobro: 1\nsteps:\n${steps.map(step => `  - ${step}\n`).join('')}`
const session = '{ id: session, call: checkout.sessions.create, with: { amount_total: 100 } }'

test.each(Object.entries({ ...scenarios, 'webhook.test': testScenario }))(
  'the scenario of %s is printed as a file that is read as the same',
  (_name, steps) => {
    expect(readScenario(scenarioFile(steps))).toEqual(steps)
  },
)

test('a card may be a number, and metadata has any names', () => {
  const steps = readScenario(
    file(
      '{ id: s, call: checkout.sessions.create, with: { amount_total: 100, metadata: { order-id: { a: 1 } } } }',
      `{ pay: "\${s.id}", card: 4242424242424242 }`,
    ),
  )
  expect(steps[1]).toEqual({ pay: `\${s.id}`, card: '4242424242424242' })
})

test.each([
  ['', 'starts with the line "cobro: 1"'],
  ['cobro: 2\nsteps: []', 'starts with the line "cobro: 1"'],
  ['cobro: 1\nsteps: []', 'A scenario file has a list of steps.'],
  ['cobro: 1\nstep: []\nsteps: []', 'and no step.'],
  ['cobro: 1\nsteps:\n  - { pay: [ }', 'Line 3: '],
  ['cobro: 1\nsteps: [1]\ncobro: 1', 'Line 3: Map keys must be unique'],
  [file('1'), 'Step 1 (line 3): Expected keys and values.'],
  [file(session, '{ id: x }'), 'Step 2 (line 4): A step has one of: call, pay'],
  [file('{ call: me, pay: x }'), 'A step has one of'],
  [file(session, `{ pay: "\${session.id}", crd: "42" }`), 'Step 2 (line 4): There is no key crd.'],
  [file('{ call: checkout.session.create }'), 'There is no method checkout.session.create.'],
  [file('{ call: constructor }'), 'There is no method constructor.'],
  [file('{ call: checkout.sessions.create, with: { amount: 1 } }'), 'There is no field amount.'],
  [file('{ call: checkout.sessions.create, with: { customer: { mail: x } } }'), 'There is no field customer.mail.'],
  [file('{ call: checkout.sessions.create, with: [1] }'), 'with has keys and values.'],
  [file('{ call: transactions.refund }'), 'transactions.refund needs id in with.'],
  [file(`{ pay: "\${session.id}", card: x }`), 'names no earlier step'],
  [file(session, session), 'An earlier step has the id session too.'],
  [file('{ id: 1x, call: me }'), 'An id starts with a letter'],
  [file('{ pay: cs_1 }'), 'card is the number of a test card.'],
  [file('{ pay: cs_1, card: x, expect: approved }'), 'expect has keys and values.'],
  [file('{ pay: cs_1, card: x, expect: { approved: true } }'), 'There is no key expect.approved.'],
  [file('{ await: payment.aproved }'), 'There is no event payment.aproved.'],
  [file('{ await: payment.approved, within: 10 }'), 'within is a duration'],
  [file('{ await: payment.approved, within: 1441m }'), 'of at most 1440m.'],
  [file('{ await: payment.approved, where: { data.metdata.order: A-42 } }'), 'There is no field data.metdata.order.'],
  [file('{ call: me, within: 10s }'), 'within needs until.'],
  [
    file('{ call: transactions.refund, with: { id: txn_1 }, until: { status: x } }'),
    'until repeats transactions.refund, which is not a read.',
  ],
  [file(session, `{ pay: "\${session.id", card: "42" }`), 'that is no reference'],
  [file(session, `{ pay: "\${session id}", card: "42" }`), 'that is no reference'],
  [
    file(session, `{ call: paymentLinks.create, with: { metadata: { "\${session.id}": 1 } } }`),
    'which only values have',
  ],
])('the file %j is refused: %s', (text, problem) => {
  expect(() => readScenario(text)).toThrow(problem)
})
