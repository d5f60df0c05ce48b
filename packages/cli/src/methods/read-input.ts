import { readFileSync } from 'node:fs'
import { CommandError } from '../output/failures.ts'
import type { InputField } from './method.ts'

type Fields = Readonly<Record<string, InputField>>

/** Reads `--field value` and `--data` into an input. Rejects fields that the operation does not have. */
export function readInput(values: readonly string[], fields: Fields): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (let at = 0; at < values.length; at++) {
    const [, name, inline] = /^--([\w.-]+?)(?:=(.*))?$/s.exec(values[at] ?? '') ?? []
    if (name === undefined)
      throw new CommandError(`Expected a field such as --${Object.keys(fields)[0]}, got ${values[at]}.`)
    const value = inline ?? values[++at]
    if (value === undefined) throw new CommandError(`--${name} needs a value.`)
    if (name === 'data') Object.assign(input, readData(value))
    else setField(input, name.replaceAll('-', '_'), value, fields)
  }
  return input
}

/** Sets the field at a path such as `metadata.order`. */
export function setField(input: Record<string, unknown>, path: string, value: string, fields: Fields): void {
  const names = path.split('.')
  const field = fieldAt(names, fields)
  if (!field) throw unknownField(path, fields)
  const last = names.pop() ?? ''
  let parent = input
  for (const name of names) parent = childOf(parent, name)
  parent[last] = field.type === 'text' ? value : parsedOr(value)
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
  const hint = `${similar.length > 0 ? 'Did you mean' : 'The fields are'}: ${(similar.length > 0 ? similar : names).join(', ')}`
  return new CommandError(`There is no field ${path}.`, { hint })
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

function readData(value: string): object {
  const text = value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw new CommandError('--data is not valid JSON.')
  }
  if (!isRecord(data)) throw new CommandError('--data has to be a JSON object.')
  return data
}

function parsedOr(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
