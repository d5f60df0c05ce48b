import { meter } from '@cobro/runtime'

const failures = meter.createCounter('cobro_audit_integrity_failures_total', {
  description: 'Integrity failures of the audit log, by kind',
})

/**
 * `tree`: the log accepts no events. `witness`: a checkpoint could not be stored outside the
 * database. `integrity`: a check found a changed event.
 */
const kinds = ['tree', 'witness', 'integrity'] as const

// A series that starts with its first failure shows no increase, so each kind starts at zero.
for (const kind of kinds) failures.add(0, { kind })

/** Counts an integrity failure of the log. An alert on the counter pages the on-call engineer. */
export const countAuditFailure = (kind: (typeof kinds)[number]): void => failures.add(1, { kind })
