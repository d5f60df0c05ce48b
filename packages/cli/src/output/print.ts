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
  process.stdout.write(`${textOf(value, format)}\n`)
}

/** Prints a message for people on standard error, which results never go to. */
export function tell(message: string): void {
  process.stderr.write(`${message}\n`)
}

function textOf(value: unknown, format: Format): string {
  switch (format) {
    case 'json':
      return JSON.stringify(value, null, 2)
    case 'ndjson':
      return (Array.isArray(value) ? value : [value]).map(row => JSON.stringify(row)).join('\n')
    case 'yaml':
      return stringify(value).trimEnd()
    case 'table':
      return Array.isArray(value) ? tableOf(value) : fieldsOf(value)
  }
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
  const names = Object.keys(objects[0] ?? {}).filter(name => objects.some(row => isScalar(Reflect.get(row, name))))
  const lines = [names, ...objects.map(row => names.map(name => cellOf(Reflect.get(row, name)).slice(0, widest)))]
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

function isScalar(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'object'
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // A text of a payer must not steer the terminal.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
}
