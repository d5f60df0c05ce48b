import { stringify } from 'yaml'
import { CommandError } from './failures.ts'

const formats = ['table', 'json', 'ndjson', 'yaml'] as const
export type Format = (typeof formats)[number]

const widest = 40

/** Returns the format to print in: the one that is asked for, or else tables for people and JSON for programs. */
export function formatOf(asked: string | undefined): Format {
  const format = formats.find(one => one === asked)
  if (asked !== undefined && !format) throw new CommandError(`--output is one of ${formats.join(', ')}.`)
  return format ?? (process.stdout.isTTY ? 'table' : 'json')
}

/** Prints a result on standard output. */
export function print(value: unknown, format: Format): void {
  process.stdout.write(`${formatted(value, format)}\n`)
}

/** Prints a value on standard output as a line of JSON. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${formatted([value], 'ndjson')}\n`)
}

/** Prints a message for people on standard error, which results never go to. */
export function tell(message: string): void {
  process.stderr.write(`${printable(message)}\n`)
}

/** Prints a line of a running command on standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}

/** Replaces what would steer the terminal: texts of payers and answers of receivers are printed too. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\u00b7')
}

/** Returns a result as text, without characters that would steer the terminal. */
export function formatted(value: unknown, format: Format): string {
  switch (format) {
    case 'json':
      return escaped(JSON.stringify(value, null, 2))
    case 'ndjson':
      return (Array.isArray(value) ? value : [value]).map(row => escaped(JSON.stringify(row))).join('\n')
    case 'yaml':
      return yamlOf(value)
    case 'table':
      return printable(Array.isArray(value) ? tableOf(value) : fieldsOf(value))
  }
}

/** JSON escapes U+0000 to U+001F only. A program that reads the text gets the same value. */
function escaped(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** YAML may have such characters in plain texts, where they cannot be escaped; JSON is YAML too. */
function yamlOf(value: unknown): string {
  const text = stringify(value).trimEnd()
  return printable(text) === text ? text : escaped(JSON.stringify(value, null, 2))
}

/** A line for each field. */
function fieldsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, field]) => `${name.padEnd(width)}  ${cellOf(field)}`).join('\n')
}

/** A row for each object, with the fields that hold no objects, as many as fit the terminal. */
function tableOf(rows: readonly unknown[]): string {
  if (rows.length === 0) return 'none'
  const objects = rows.map(row => (typeof row === 'object' && row !== null ? row : { value: row }))
  const names = Object.keys(objects[0] ?? {})
    .filter(name => objects.some(row => isScalar(Reflect.get(row, name))))
    .toSorted(byImportance)
  const lines = [names, ...objects.map(row => names.map(name => shortened(cellOf(Reflect.get(row, name)))))]
  const widths = names.map((_, at) => Math.max(...lines.map(line => line[at]?.length ?? 0)))
  const room = process.stdout.columns ?? 160
  const shown = names.filter(
    (_, at) => widths.slice(0, at + 1).reduce((sum, width) => sum + width + 2, 0) <= room,
  ).length
  return lines
    .map(line =>
      line
        .slice(0, shown)
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shortened(cell: string): string {
  return cell.length > widest ? `${cell.slice(0, widest - 1)}…` : cell
}

function isScalar(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'object'
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll('\n', ' ')
}

/** What people look for first. */
const firstColumns = [
  'sequence',
  'id',
  'event',
  'name',
  'status',
  'amount_cents',
  'amount_total',
  'currency',
  'created_at',
]

function byImportance(a: string, b: string): number {
  const [placeA, placeB] = [firstColumns.indexOf(a), firstColumns.indexOf(b)]
  return (placeA < 0 ? firstColumns.length : placeA) - (placeB < 0 ? firstColumns.length : placeB)
}
