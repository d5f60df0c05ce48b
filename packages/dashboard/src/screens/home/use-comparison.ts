import { type Comparison, comparisonOf, type Reported } from './comparison.ts'
import { useFormats } from './use-formats.ts'

/** Returns what the sums of a report are set against, with the hour until which they are in words. */
export function useComparison<Sums>(report: Reported<Sums>): Comparison<Sums> & { hour: string | undefined } {
  const formats = useFormats()
  const comparison = comparisonOf(report)
  return { ...comparison, hour: comparison.until && formats.hour(comparison.until, report.tz) }
}
