import type { Message } from '@cobro/contracts'
import { activeTraceId } from '@cobro/runtime'
import { type AuditRecord, auditRecord } from './events/audit-record.ts'

/** Returns a handler that records events. Needs no inbox: rows of known event ids are skipped. */
export const recordEvent =
  (deps: { store: (record: AuditRecord) => Promise<void> }) =>
  async (message: Message): Promise<void> => {
    const record = auditRecord(message, activeTraceId())
    if (record) await deps.store(record)
  }
