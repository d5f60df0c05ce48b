import { meter } from '@cobro/runtime'

const faults = meter.createCounter('cobro.audit.faults', { description: 'What did not fit, by what it was' })

/** `tree`: nothing can be added to the log. `witness`: a checkpoint is not outside the database. `integrity`: what is in the log was changed. */
const kinds = ['tree', 'witness', 'integrity'] as const

// A series that begins with its first fault would show no increase.
for (const what of kinds) faults.add(0, { what })

/** Counts a fault of the log, for who is to be woken by it. */
export const countAuditFailure = (what: (typeof kinds)[number]): void => faults.add(1, { what })
