import { csvLine } from '@cobro/http'
import { contentColumns } from '../events/audit-event-entity.ts'

/** An event in an export: its sequence number and the hashed bytes. */
export interface ExportedEvent {
  seq: number
  content: Buffer
}

const shape = /^\{"seq":([1-9]\d{0,15}),"event":(\{.*\})\}$/s

/** Formats a line of NDJSON with the exact bytes of the event, so that readers can hash them. */
export const ndjsonLine = ({ seq, content }: ExportedEvent): string => `{"seq":${seq},"event":${content}}\n`

/** Parses a line of NDJSON. Returns undefined if `ndjsonLine` did not write it. */
export function readNdjsonLine(line: string): ExportedEvent | undefined {
  const [, seq = '', content = ''] = shape.exec(line) ?? []
  return seq === '' ? undefined : { seq: Number(seq), content: Buffer.from(content) }
}

const csvColumns = ['seq', ...contentColumns]

/** The header line of a CSV export, in the format of RFC 4180. */
export const csvHeader = csvLine(csvColumns)

/** Formats a line of CSV. Objects are written as JSON. */
export function eventCsvLine({ seq, content }: ExportedEvent): string {
  const event = { ...(JSON.parse(content.toString()) as Record<string, unknown>), seq }
  return csvLine(csvColumns.map(column => event[column as keyof typeof event]))
}
