import { contentColumns } from '../events/audit-event-entity.ts'

/** An event as exports carry it: its place, and the bytes that were hashed. */
export interface ExportedEvent {
  seq: number
  content: Buffer
}

const shape = /^\{"seq":([1-9]\d{0,15}),"event":(\{.*\})\}$/s

/** A line of NDJSON. The event stands in it byte for byte, so that whoever has the line can hash it again. */
export const ndjsonLine = ({ seq, content }: ExportedEvent): string => `{"seq":${seq},"event":${content}}\n`

/** Reads a line of NDJSON back. What `ndjsonLine` has not written gives undefined. */
export function readNdjsonLine(line: string): ExportedEvent | undefined {
  const [, seq = '', content = ''] = shape.exec(line) ?? []
  return seq === '' ? undefined : { seq: Number(seq), content: Buffer.from(content) }
}

const csvColumns = ['seq', ...contentColumns]

/** The first line of an export as CSV, in the form of RFC 4180. */
export const csvHead = `${csvColumns.join()}\r\n`

/** A line of CSV. Objects stand in it as JSON. */
export function csvLine({ seq, content }: ExportedEvent): string {
  const event = { ...(JSON.parse(content.toString()) as Record<string, unknown>), seq }
  return `${csvColumns.map(column => csvField(event[column as keyof typeof event])).join()}\r\n`
}

/** What begins like a formula gets an apostrophe before it: a user agent must not run in a spreadsheet. */
function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
