import type { Intervals } from './report-ranges.ts'

type Started = { start: string }
/** A report with intervals, and when it was made. */
export type Charted<Row extends Started> = Intervals<Row> & { as_of: string }

/** What a plot says of an interval. */
export interface ChartInterval<Row> {
  row: Row
  /** Its hour or day. An hour that comes twice, as clocks go back, has its offset from UTC. */
  label: string
  hasBegun: boolean
  /** Whether it has begun and not ended. */
  isOpen: boolean
}

/** Returns the intervals of a report, with labels in the language of a region. */
export function chartIntervals<Row extends Started>(report: Charted<Row>, region: string): ChartInterval<Row>[] {
  const { rows, to, tz, interval } = report
  const now = Date.parse(report.as_of)
  const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const shown = interval === 'hour' ? hour : ({ day: 'numeric', month: 'short' } as const)
  const write = (format: Intl.DateTimeFormatOptions) => {
    const { format: written } = new Intl.DateTimeFormat(region, { timeZone: tz, ...format })
    return rows.map(({ start }) => written(new Date(start)))
  }
  const labels = write(shown)
  const isRepeated = new Set(labels).size < labels.length
  const withOffset = isRepeated ? write({ ...shown, timeZoneName: 'shortOffset' }) : labels
  return rows.map((row, at) => {
    const label = labels[at] ?? row.start
    const isOnce = labels.indexOf(label) === labels.lastIndexOf(label)
    const hasBegun = Date.parse(row.start) <= now
    const isOpen = hasBegun && now < Date.parse(rows[at + 1]?.start ?? to)
    return { row, label: (isOnce ? undefined : withOffset[at]) ?? label, hasBegun, isOpen }
  })
}
