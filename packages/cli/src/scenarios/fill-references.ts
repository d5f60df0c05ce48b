import { valueAt } from '../feed/where.ts'
import { isRecord } from '../methods/field-values.ts'
import { CommandError } from '../output/failures.ts'
import { references } from './steps.ts'

/** What the steps returned, by their ids. */
export type Results = Record<string, unknown>

/** Replaces each `${id.path}` in a text by what an earlier step returned. */
export function filled(text: string, results: Results): string {
  return text.replace(references, (_all, path: string) => String(referenced(path, results)))
}

/** Replaces references in the texts of a value. A text that is one reference becomes what it names, of any type. */
function filledValue(value: unknown, results: Results): unknown {
  if (Array.isArray(value)) return value.map(item => filledValue(item, results))
  if (isRecord(value)) return filledFields(value, results)
  if (typeof value !== 'string') return value
  const [, only] = /^\$\{([\w.-]+)\}$/.exec(value) ?? []
  return only === undefined ? filled(value, results) : referenced(only, results)
}

/** Replaces references in the fields of an object. */
export function filledFields(fields: object, results: Results): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, filledValue(field, results)]))
}

function referenced(path: string, results: Results): unknown {
  const value = valueAt(results, path)
  if (value === undefined || value === null) throw new CommandError(`No step returned ${path}.`)
  return value
}
