import type { Message } from '@cobro/contracts'
import { activeTraceId } from '@cobro/runtime'
import { type AuditRecord, auditRecord } from './events/audit-record.ts'

/** Returns a handler that records every event. Needs no inbox: rows have the ids of their events, and duplicates are skipped. */
export const recordEvent =
  (deps: { store: (record: AuditRecord) => Promise<void> }) =>
  async (message: Message): Promise<void> => {
    const record = auditRecord(message, activeTraceId())
    if (record) await deps.store(record)
  }
