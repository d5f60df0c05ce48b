import { methodCommands } from '../generated/method-commands.ts'
import type { MethodCommand } from '../methods/method.ts'
import { scenarios } from './scenarios.ts'
import { scenarioVersion } from './steps.ts'

type Schema = Readonly<Record<string, unknown>>

const text = (description: string): Schema => ({ type: 'string', minLength: 1, description })
const id: Schema = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
  description: 'Names the step for later ones.',
}
const within: Schema = {
  type: 'string',
  pattern: '^\\d+(ms|s|m)$',
  description: 'How long to wait: 500ms, 10s or 2m.',
}
const values = (description: string): Schema => ({ type: 'object', description })

/** Returns the JSON Schema of scenario files, with which editors complete and check them while they are written. */
export function scenarioSchema(): Schema {
  const steps = [
    ...Object.entries(methodCommands).map(([name, method]) => callOf(name, method)),
    step('pay', text('The id of a session or link, which is paid with a card.'), {
      card: { type: ['string', 'integer'], description: 'A test card.' },
      expect: object({ declined: text('The code that the payment ends with.') }, ['declined']),
    }),
    step('payInCash', text('The id of a session or link, for which a voucher is issued.'), {}),
    object({ payAgain: text('The id of a session or link that is paid.') }, ['payAgain']),
    step(
      'await',
      { enum: Object.keys(scenarios), description: 'The event to wait for.' },
      {
        where: values('Fields of the event, by their paths.'),
        within,
      },
    ),
  ]
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A scenario file of the command cobro',
    ...object({ cobro: { const: scenarioVersion }, steps: { type: 'array', minItems: 1, items: { anyOf: steps } } }, [
      'cobro',
      'steps',
    ]),
  }
}

function callOf(name: string, { summary, ids, fields, isRead }: MethodCommand): Schema {
  const own = Object.entries(fields).map(([path, field]) => [path.split('.')[0], { description: field.text }])
  const input = { ...Object.fromEntries(own), ...Object.fromEntries(ids.map(one => [one, text('An id.')])) }
  const repeated: Record<string, Schema> = isRead
    ? { until: values('Repeats the call until its result has these values.'), within }
    : {}
  return step('call', { const: name, description: summary }, { with: object(input, ids), ...repeated }, ids.length > 0)
}

function step(kind: string, value: Schema, others: Record<string, Schema>, needsInput = false): Schema {
  const required = [kind, ...(needsInput ? ['with'] : []), ...('card' in others ? ['card'] : [])]
  return object({ [kind]: value, id, ...others }, required)
}

function object(properties: Record<string, Schema>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false }
}
