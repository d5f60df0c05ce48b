import type { auditOperations, ResponseOf } from '@cobro/contracts'

type FirstViolation = NonNullable<ResponseOf<typeof auditOperations.integrity>['data']['first_fault']>

/** A violation of the log's integrity, with the sequence number of the first affected event. */
export interface IntegrityViolation extends FirstViolation {
  kind: ViolationKind
}

type ViolationKind =
  | 'event_missing'
  | 'event_doubled'
  | 'event_added'
  | 'event_changed'
  | 'column_changed'
  | 'leaves_changed'
  | 'checkpoint_missing'
  | 'checkpoint_changed'
  | 'checkpoint_unsigned'
  | 'retirement_changed'
  | 'restore_changed'
  | 'head_changed'
  | 'log_rolled_back'
  | 'log_forked'

export function violationAt(
  kind: ViolationKind,
  seq: number,
  details: Partial<FirstViolation> = {},
): IntegrityViolation {
  return { id: null, expected: null, found: null, ...details, kind, seq }
}
