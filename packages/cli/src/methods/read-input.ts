import { readFileSync } from 'node:fs'
import { CommandError } from '../output/failures.ts'
import type { InputField } from './method.ts'

type Fields = Readonly<Record<string, InputField>>

/** Others on the machine can see the values of options. */
const secretFields = new Set(['password'])

/** Reads `--field value` and `--data` into an input. Rejects fields that the operation does not have. */
export function readInput(values: readonly string[], fields: Fields): Record<string, unknown> {
  const input: Record<string, unknown> = {}
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
    else setField(input, path, value, fields)
  }
  return input
}

/** Options may have hyphens; the names of metadata are the merchant's own. */
function fieldName(option: string): string {
  const [first = '', ...rest] = option.split('.')
  return [first.replaceAll('-', '_'), ...rest].join('.')
}

/** Sets the field at a path such as `metadata.order`. */
export function setField(input: Record<string, unknown>, path: string, value: string, fields: Fields): void {
  const names = path.split('.')
  const field = fieldAt(names, fields)
  if (!field) throw unknownField(path, fields)
  const last = names.pop() ?? ''
  let parent = input
  for (const name of names) parent = childOf(parent, name)
  parent[last] = fieldValue(value, field)
}

function fieldValue(value: string, { type, nullable }: InputField): unknown {
  if (nullable && value === 'null') return null
  if (type === 'text') return value
  if (type === 'array' && !value.startsWith('[')) return value.split(',')
  return parsedOr(value)
}

function childOf(parent: Record<string, unknown>, name: string): Record<string, unknown> {
  const child = Object.hasOwn(parent, name) ? parent[name] : undefined
  if (isRecord(child)) return child
  const made = {}
  parent[name] = made
  return made
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

/** Names the fields that are most like an unknown one, or all of them. */
function unknownField(path: string, fields: Fields): CommandError {
  const names = Object.keys(fields)
  const similar = names.filter(name => distance(name, path) <= 3)
  const named = similar.length > 0 ? similar : names
  const hint = `${similar.length > 0 ? 'Did you mean' : 'The fields are'}: ${named.join(', ')}`
  return new CommandError(`There is no field ${path}.`, named.length > 0 ? { hint } : {})
}

/** Returns how many letters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [at, letter] of Array.from(a).entries()) {
    const next = [at + 1]
    for (const [place, other] of Array.from(b).entries()) {
      const changed = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
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

/** Returns the JSON of a text, or the text if it is none, or would be written otherwise: 1.10 is no number here. */
function parsedOr(value: string): unknown {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'number' && String(parsed) !== value ? value : parsed
  } catch {
    return value
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
