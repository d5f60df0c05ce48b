import { readFileSync } from 'node:fs'
import { CommandError } from '../output/failures.ts'
import { isRecord, parsedOr, setAt, valueOfText } from './field-values.ts'
import type { InputField } from './method.ts'
import { unknownName } from './similar-names.ts'

type Fields = Readonly<Record<string, InputField>>

/** Others on the machine can see the values of options. */
const secretFields = new Set(['password'])

/** Reads `--field value` and `--data` into an input. Rejects fields that the operation does not have. */
export function readInput(values: readonly string[], fields: Fields): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  const lists = new Map<string, unknown[]>()
  for (let at = 0; at < values.length; at++) {
    const [, name, inline] = /^--([\w.-]+?)(?:=(.*))?$/s.exec(values[at] ?? '') ?? []
    if (name === undefined) throw new CommandError(`Unexpected argument: ${values[at]}.`)
    const path = fieldName(name)
    if (secretFields.has(path)) {
      const hint = 'Put it into a file, or on standard input: --data @user.json, or --data @-'
      throw new CommandError(`Others on this machine could see --${name}.`, { hint })
    }
    if (name !== 'data' && !fieldAt(path.split('.'), fields)) throw unknownField(path, fields)
    const value = inline ?? values[++at]
    if (value === undefined) throw new CommandError(`--${name} needs a value.`)
    if (name === 'data') Object.assign(input, readData(value, fields))
    else setAt(input, path.split('.'), listed(path, readField(path, value, fields), lists))
  }
  return input
}

/** Returns a value; of a list that is repeated, all its values. */
function listed(path: string, value: unknown, lists: Map<string, unknown[]>): unknown {
  if (!Array.isArray(value)) return value
  const all = [...(lists.get(path) ?? []), ...value]
  lists.set(path, all)
  return all
}

/** Options may have hyphens; the names of metadata are the merchant's own. */
function fieldName(option: string): string {
  const [first = '', ...rest] = option.split('.')
  return [first.replaceAll('-', '_'), ...rest].join('.')
}

/** Sets the field at a path such as `metadata.order`. */
export function setField(input: Record<string, unknown>, path: string, value: string, fields: Fields): void {
  setAt(input, path.split('.'), readField(path, value, fields))
}

function readField(path: string, value: string, fields: Fields): unknown {
  const field = fieldAt(path.split('.'), fields)
  if (!field) throw unknownField(path, fields)
  return fieldValue(value, field)
}

/** Checks that an operation has each field of an input. */
export function checkFields(input: object, fields: Fields, prefix: readonly string[] = []): void {
  for (const [name, value] of Object.entries(input)) {
    const path = [...prefix, name]
    if (fieldAt(path, fields)) continue
    // An object is known by its fields.
    const isKnown = Object.keys(fields).some(field => field.startsWith(`${path.join('.')}.`))
    if (!isKnown) throw unknownField(path.join('.'), fields)
    if (isRecord(value)) checkFields(value, fields, path)
  }
}

function fieldValue(value: string, { type, nullable = false }: InputField): unknown {
  const read = valueOfText(value, { isText: type === 'text', isNullable: nullable })
  return type === 'array' && read !== null && !value.startsWith('[') ? value.split(',') : read
}

function fieldAt(names: readonly string[], fields: Fields): InputField | undefined {
  const exact = names.join('.')
  // No field has such a name, and setting it would change all objects.
  if (names.includes('__proto__') || names.includes('')) return undefined
  if (Object.hasOwn(fields, exact)) return fields[exact]
  for (let length = names.length - 1; length > 0; length--) {
    const map = `${names.slice(0, length).join('.')}.*`
    if (Object.hasOwn(fields, map)) return fields[map]
  }
  return undefined
}

function unknownField(path: string, fields: Fields): CommandError {
  return unknownName('field', path, Object.keys(fields))
}

function readData(value: string, fields: Fields): object {
  const data = parsedOr(value.startsWith('@') ? readText(value.slice(1)) : value)
  if (!isRecord(data)) throw new CommandError('--data has to be a JSON object.')
  const unknown = Object.keys(data).find(name => !Object.keys(fields).some(path => path.split('.')[0] === name))
  if (unknown !== undefined) throw unknownField(unknown, fields)
  return data
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch {
    throw new CommandError(`Cannot read ${file}.`)
  }
}
