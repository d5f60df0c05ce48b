import { stripVTControlCharacters } from 'node:util'

/** How many tests ended how. */
export interface Totals {
  passed: number
  failed: number
  skipped: number
}

export const noTests: Totals = { passed: 0, failed: 0, skipped: 0 }

export const addTotals = (a: Totals, b: Totals): Totals => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/** The totals of a check that is no test but passes or fails as a whole. */
export const singleTotal = (ok: boolean): Totals => ({ ...noTests, [ok ? 'passed' : 'failed']: 1 })

/**
 * Sums what Jest says at the end of each package. A suite that could not even run has no failed test, so it counts as one
 * itself; and a step that ended badly without Jest naming a failure counts as one too.
 */
export function parseTotals(output: string, ok: boolean): Totals {
  let totals = noTests
  let brokenSuites = 0
  for (const line of output.split('\n').map(stripVTControlCharacters)) {
    const suites = /(?:^|: )Test Suites: (.* total)$/.exec(line.trimEnd())?.[1]
    if (suites) brokenSuites = count(suites, 'failed')
    const tests = /(?:^|: )Tests: +(.* total)$/.exec(line.trimEnd())?.[1]
    if (tests) totals = addTotals(totals, ofPackage(tests, brokenSuites))
  }
  return ok || totals.failed > 0 ? totals : { ...totals, failed: 1 }
}

/** The last line of a test run. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function ofPackage(tests: string, brokenSuites: number): Totals {
  const failed = count(tests, 'failed')
  return {
    passed: count(tests, 'passed'),
    failed: failed || brokenSuites,
    skipped: count(tests, 'skipped') + count(tests, 'todo'),
  }
}

const count = (text: string, what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? 0)
