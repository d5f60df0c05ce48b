import type { Message } from '@cobro/contracts'
import { activeTraceId } from '@cobro/runtime'
import { type AuditRecord, auditRecord } from './events/audit-record.ts'

/** Every event → its row of the log. No inbox: the event's id is the row's, and a second one is left out. */
export const recordEvent =
  (deps: { store: (record: AuditRecord) => Promise<void> }) =>
  async (message: Message): Promise<void> => {
    const record = auditRecord(message, activeTraceId())
    if (record) await deps.store(record)
  }
