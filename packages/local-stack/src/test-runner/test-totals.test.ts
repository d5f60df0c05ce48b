import { parseTotals, singleTotal, totalsLine } from './test-totals.ts'

const summary = (suites: string, tests: string, prefix = '') =>
  `${prefix}Test Suites: ${suites}\n${prefix}Tests:       ${tests}\n`

describe('test totals', () => {
  test('parseTotals sums the totals of all packages and ignores line prefixes', () => {
    const output =
      summary('1 passed, 1 total', '3 passed, 3 total', '@cobro/kit:test:unit: ') +
      summary('1 failed, 1 passed, 2 total', '1 failed, 1 skipped, 1 todo, 2 passed, 5 total')
    expect(parseTotals(output, false)).toEqual({ passed: 5, failed: 1, skipped: 2 })
  })

  test('parseTotals ignores terminal colors', () => {
    expect(parseTotals('\u001b[1mTests:       \u001b[22m\u001b[32m2 passed\u001b[39m, 2 total\r\n', true).passed).toBe(
      2,
    )
  })

  test('parseTotals counts a suite that could not run as failed', () => {
    expect(parseTotals(summary('2 failed, 1 passed, 3 total', '4 passed, 4 total'), false)).toEqual({
      passed: 4,
      failed: 2,
      skipped: 0,
    })
  })

  test('parseTotals counts a step that failed without a failed test as one failure', () => {
    expect(parseTotals(summary('1 passed, 1 total', '3 passed, 3 total'), false).failed).toBe(1)
    expect(parseTotals('nothing', false).failed).toBe(1)
  })

  test('singleTotal counts a step such as lint as one check', () => {
    expect(singleTotal(true)).toEqual({ passed: 1, failed: 0, skipped: 0 })
    expect(singleTotal(false)).toEqual({ passed: 0, failed: 1, skipped: 0 })
  })

  test('parseTotals does not mistake the output of a test for a summary', () => {
    expect(parseTotals('  console.log Tests: 5 failed', true)).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })

  test('totalsLine shows skipped tests only if there are any', () => {
    expect(totalsLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed')
    expect(totalsLine({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped')
  })
})
