import type { Period } from './report-ranges.ts'

/** The sums of a report. Until its period has ended, some of them can be compared. */
export interface Reported<Sums> extends Period {
  tz: string
  totals: Sums
  previous: Sums
  compared: { to: string; totals: Sums; previous: Sums }
}

/** What the sums of a report are set against. */
export interface Comparison<Sums> {
  /** The sums that can be compared with those of the period before; undefined while no hour has passed. */
  totals?: Sums
  previous: Sums
  /** The hour until which both count; undefined for whole periods. */
  until?: string
}

/** Returns the period before as far as this one has gone, in full hours. Before the first one has passed, it is the whole period. */
export function comparisonOf<Sums>({ from, to, totals, previous, compared }: Reported<Sums>): Comparison<Sums> {
  if (compared.to === to) return { totals, previous }
  if (compared.to === from) return { previous }
  return { totals: compared.totals, previous: compared.previous, until: compared.to }
}
