import { schemaOf } from '../events/compose-event.ts'
import { methodCommands } from '../generated/method-commands.ts'
import { isRecord } from '../methods/field-values.ts'
import type { MethodCommand } from '../methods/method.ts'
import { checkFields } from '../methods/read-input.ts'
import { unknownName } from '../methods/similar-names.ts'
import { CommandError } from '../output/failures.ts'
import { pathsOf, schemaAt } from '../schemas/event-schema.ts'
import { scenarios } from './scenarios.ts'
import { durationMs, references, type Step, type StepKind, stepKeys } from './steps.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a step of a file, if it is one. `ids` are those of the steps before, to which its own is added. */
export function checkStep(step: unknown, ids: Set<string>): Step {
  if (!isRecord(step)) throw new CommandError('Expected keys and values.')
  const kinds = Object.keys(stepKeys).filter((kind): kind is StepKind => Object.hasOwn(step, kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    throw new CommandError(`A step has one of: ${Object.keys(stepKeys).join(', ')}.`)
  }
  const keys: readonly string[] = stepKeys[kind]
  const unknown = Object.keys(step).find(key => !keys.includes(key))
  if (unknown !== undefined) throw unknownName('key', unknown, keys)
  const checked = checks[kind](step)
  checkReferences(step, ids)
  if (step.id !== undefined) ids.add(checkedId(step.id, ids))
  return { ...(step.id !== undefined && { id: String(step.id) }), ...checked }
}

const checks: Readonly<Record<StepKind, (step: Fields) => Step>> = {
  call: checkCall,
  pay({ pay, card, expect }) {
    if (typeof card !== 'string' && typeof card !== 'number')
      throw new CommandError('card is the number of a test card.')
    return { pay: textOf('pay', pay), card: String(card), ...(expect !== undefined && { expect: checkExpect(expect) }) }
  },
  payInCash: ({ payInCash }) => ({ payInCash: textOf('payInCash', payInCash) }),
  payAgain: ({ payAgain }) => ({ payAgain: textOf('payAgain', payAgain) }),
  await({ await: event, where, within }) {
    const name = textOf('await', event)
    if (!Object.hasOwn(scenarios, name)) throw unknownName('event', name, Object.keys(scenarios))
    return { await: name, ...(where !== undefined && { where: checkWhere(where, name) }), ...checkWithin(within) }
  },
}

function checkCall({ call, with: given = {}, until, within }: Fields): Step {
  const name = textOf('call', call)
  const method: MethodCommand | undefined = Object.hasOwn(methodCommands, name) ? methodCommands[name] : undefined
  if (!method) throw unknownName('method', name, Object.keys(methodCommands))
  const input = fieldsOf('with', given)
  const { ids, fields } = method
  const missing = ids.find(id => input[id] === undefined)
  if (missing !== undefined) throw new CommandError(`${name} needs ${missing} in with.`)
  if (until === undefined && within !== undefined) throw new CommandError('within needs until.')
  if (until !== undefined && !method.isRead) throw new CommandError(`until repeats ${name}, which is not a read.`)
  checkFields(Object.fromEntries(Object.entries(input).filter(([field]) => !ids.includes(field))), fields)
  return {
    ...{ call: name, with: input },
    ...(until !== undefined && { until: fieldsOf('until', until) }),
    ...checkWithin(within),
  }
}

function checkExpect(expect: unknown): { declined: string } {
  const { declined, ...others } = fieldsOf('expect', expect)
  const [other] = Object.keys(others)
  if (other !== undefined) throw unknownName('key', `expect.${other}`, ['expect.declined'])
  return { declined: textOf('expect.declined', declined) }
}

function checkWhere(where: unknown, event: string): Record<string, unknown> {
  const fields = fieldsOf('where', where)
  const schema = schemaOf(event)
  const unknown = Object.keys(fields).find(path => !schemaAt(schema, path.split('.')))
  if (unknown !== undefined) throw unknownName('field', unknown, pathsOf(schema))
  return fields
}

function checkWithin(within: unknown): { within?: string } {
  if (within === undefined) return {}
  if (typeof within === 'string' && durationMs(within) !== undefined) return { within }
  throw new CommandError('within is a duration such as 500ms, 10s or 2m, of at most 1440m.')
}

function checkedId(id: unknown, ids: ReadonlySet<string>): string {
  if (typeof id !== 'string' || !/^[a-z][\w-]*$/i.test(id)) {
    throw new CommandError('An id starts with a letter, and has letters, digits, - and _.')
  }
  if (ids.has(id)) throw new CommandError(`An earlier step has the id ${id} too.`)
  return id
}

/** A reference has to name a step before, since the later ones have returned nothing yet. Keys have no references. */
function checkReferences(value: unknown, ids: ReadonlySet<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (key.includes('${')) throw new CommandError(`The key ${key} has a reference, which only values have.`)
      checkReferences(part, ids)
    }
  }
  if (typeof value !== 'string') return
  if (value.replace(references, '').includes('${')) {
    throw new CommandError(`${value} has a ${'${'} that is no reference such as ${'${'}id.field}.`)
  }
  for (const [all, path = ''] of value.matchAll(references)) {
    const [id = ''] = path.split('.')
    if (!ids.has(id))
      throw new CommandError(`${all} names no earlier step. Those with an id: ${[...ids].join(', ') || 'none'}.`)
  }
}

function textOf(key: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new CommandError(`${key} is a text.`)
  return value
}

function fieldsOf(key: string, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) throw new CommandError(`${key} has keys and values.`)
  return value
}
