import { contentColumns } from '../events/audit-event-entity.ts'
import { canonicalJson } from '../events/canonical-json.ts'
import { leafHash } from '../tree/merkle-tree.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'

/** An event as it is stored: the bytes that were hashed, and the columns beside them. */
export interface StoredEvent {
  seq: number
  id: string
  content: Buffer
  columns: Record<string, unknown>
}

/** Hashes an event again and holds its columns against its content. Gives what does not fit. */
export function checkEvent({ seq, id, content, columns }: StoredEvent, leaf: Buffer): IntegrityViolation | undefined {
  const found = leafHash(content)
  if (!found.equals(leaf))
    return violationAt('event_changed', seq, { id, expected: leaf.toString('hex'), found: found.toString('hex') })
  const told = JSON.parse(content.toString()) as Record<string, unknown>
  const column = contentColumns.find(name => !isSame(name, told[name] ?? null, columns[name] ?? null))
  if (column === undefined) return undefined
  const details = {
    expected: `${column}: ${asText(column, told[column])}`,
    found: `${column}: ${asText(column, columns[column])}`,
  }
  return violationAt('column_changed', seq, { id, ...details })
}

/** Most columns are texts that are the very same, which is quickly told. */
function isSame(column: string, told: unknown, found: unknown): boolean {
  return told === found || asText(column, told) === asText(column, found)
}

/** A value as text that is equal for equal values. Postgres writes times in another form than we do. */
function asText(column: string, value: unknown): string {
  return column === 'occurred_at' ? new Date(String(value)).toISOString() : canonicalJson(value ?? null)
}
