import { stripVTControlCharacters } from 'node:util'

/** The number of tests by result. */
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

/** Returns the totals of a step that passes or fails as a whole. */
export const singleTotal = (ok: boolean): Totals => ({ ...noTests, [ok ? 'passed' : 'failed']: 1 })

/**
 * Sums Jest's summaries of each package. A suite that could not run has no failed tests, so the
 * suite counts as one failure. So does a step that failed without a failure in Jest's summaries.
 */
export function parseTotals(output: string, ok: boolean): Totals {
  let totals = noTests
  let brokenSuites = 0
  for (const line of output.split('\n').map(stripVTControlCharacters)) {
    const suites = /(?:^|: )Test Suites: (.* total)$/.exec(line.trimEnd())?.[1]
    if (suites) brokenSuites = count(suites, 'failed')
    const tests = /(?:^|: )Tests: +(.* total)$/.exec(line.trimEnd())?.[1]
    if (tests) totals = addTotals(totals, packageTotals(tests, brokenSuites))
  }
  return ok || totals.failed > 0 ? totals : { ...totals, failed: 1 }
}

/** Formats the last line of a test run. */
export const totalsLine = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function packageTotals(tests: string, brokenSuites: number): Totals {
  const failed = count(tests, 'failed')
  return {
    passed: count(tests, 'passed'),
    failed: failed || brokenSuites,
    skipped: count(tests, 'skipped') + count(tests, 'todo'),
  }
}

const count = (text: string, what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? 0)
