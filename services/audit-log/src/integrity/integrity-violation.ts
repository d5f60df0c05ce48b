/** A violation of the integrity of the log, and the sequence number of the first event concerned. */
export interface IntegrityViolation {
  kind: ViolationKind
  seq: number
  id: string | null
  expected: string | null
  found: string | null
}

export type ViolationKind =
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
  | 'head_changed'
  | 'log_rolled_back'
  | 'log_forked'

type Details = Partial<Pick<IntegrityViolation, 'id' | 'expected' | 'found'>>

export function violationAt(kind: ViolationKind, seq: number, details: Details = {}): IntegrityViolation {
  return { kind, seq, id: null, expected: null, found: null, ...details }
}
