import { contentColumns } from '../events/audit-event-entity.ts'
import { canonicalJson } from '../events/canonical-json.ts'
import { leafHash } from '../tree/merkle-tree.ts'
import { type IntegrityViolation, violationAt } from './integrity-violation.ts'

/** An event as stored: the hashed bytes and the columns. */
export interface StoredEvent {
  seq: number
  id: string
  content: Buffer
  columns: Record<string, unknown>
}

/** Hashes an event again and compares its columns with its content. Returns any violation. */
export function checkEvent({ seq, id, content, columns }: StoredEvent, leaf: Buffer): IntegrityViolation | undefined {
  const found = leafHash(content)
  if (!found.equals(leaf))
    return violationAt('event_changed', seq, { id, expected: leaf.toString('hex'), found: found.toString('hex') })
  const hashed = JSON.parse(content.toString()) as Record<string, unknown>
  const column = contentColumns.find(name => !isSame(name, hashed[name] ?? null, columns[name] ?? null))
  if (column === undefined) return undefined
  const details = {
    expected: `${column}: ${asText(column, hashed[column])}`,
    found: `${column}: ${asText(column, columns[column])}`,
  }
  return violationAt('column_changed', seq, { id, ...details })
}

/** Compares equal strings first, which is fast and covers most columns. */
function isSame(column: string, hashed: unknown, found: unknown): boolean {
  return hashed === found || asText(column, hashed) === asText(column, found)
}

/** Returns equal texts for equal values. Postgres formats times differently. */
function asText(column: string, value: unknown): string {
  return column === 'occurred_at' ? new Date(String(value)).toISOString() : canonicalJson(value ?? null)
}
