import type { InputField } from './method.ts'
import { readInput } from './read-input.ts'

const text = (type: string, more: Partial<InputField> = {}): InputField => ({ type, text: '', ...more })
const fields = {
  amount_total: text('any'),
  external_id: text('text', { nullable: true }),
  payment_method_types: text('array'),
  'customer.email': text('text'),
  'metadata.*': text('any'),
  password: text('text'),
}

test.each<[string[], object]>([
  [['--amount-total', '25000'], { amount_total: 25_000 }],
  [['--amount_total=25000'], { amount_total: 25_000 }],
  [['--external-id', '0042'], { external_id: '0042' }],
  [['--external-id', 'null'], { external_id: null }],
  [['--customer.email', 'null'], { customer: { email: 'null' } }],
  [['--payment-method-types', 'card,cash'], { payment_method_types: ['card', 'cash'] }],
  [['--payment-method-types', '["card"]'], { payment_method_types: ['card'] }],
  [['--payment-method-types', 'card', '--payment_method_types=cash'], { payment_method_types: ['card', 'cash'] }],
  [
    ['--data', '{"payment_method_types":["oxxo"]}', '--payment-method-types', 'card'],
    { payment_method_types: ['card'] },
  ],
  [
    ['--metadata.order-id', 'A-7', '--metadata.v', '1.10', '--metadata.n', '7', '--metadata.a.b', 'true'],
    {
      metadata: { 'order-id': 'A-7', v: '1.10', n: 7, a: { b: true } },
    },
  ],
  [['--data', '{"amount_total":1}', '--metadata.x', 'y'], { amount_total: 1, metadata: { x: 'y' } }],
  [[], {}],
])('%j is the input %j', (values, input) => {
  expect(readInput(values, fields)).toEqual(input)
})

test.each<[string[], string]>([
  [['--amount', '1'], 'There is no field amount.'],
  [['--customer.phone', '1'], 'There is no field customer.phone.'],
  [['--metadata', '{}'], 'There is no field metadata.'],
  [['--metadata.__proto__.x', '1'], 'There is no field metadata.__proto__.x.'],
  [['--data', '{"amount":1}'], 'There is no field amount.'],
  [['--data', 'nonsense'], '--data has to be a JSON object.'],
  [['--data', '@/nowhere'], 'Cannot read /nowhere.'],
  [['--amount_total'], '--amount_total needs a value.'],
  [['extra'], 'Unexpected argument: extra.'],
  [['--password', 'secret'], 'Others on this machine could see --password.'],
])('%j is refused: %s', (values, problem) => {
  expect(() => readInput(values, fields)).toThrow(problem)
})

test('an operation without an input takes no field', () => {
  expect(() => readInput(['--amount', '100'], {})).toThrow('There is no field amount.')
  expect(readInput([], {})).toEqual({})
})
