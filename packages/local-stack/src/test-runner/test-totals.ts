/** The number of tests by result. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
}

export const noTests: Totals = { passed: 0, failed: 0, skipped: 0 }

/** Returns the sum of totals. */
export const sumTotals = (totals: readonly Totals[]): Totals =>
  totals.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    noTests,
  )

/** `EX_TEMPFAIL` of sysexits.h: a check cannot be made now, for example without a network. */
const notChecked = 75

/** Returns the totals of a step that passes, fails or is skipped as a whole, by its exit code. */
export function singleTotal(code: number): Totals {
  if (code === notChecked) return { ...noTests, skipped: 1 }
  return { ...noTests, [code === 0 ? 'passed' : 'failed']: 1 }
}

/** Formats the last line of a test run. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
