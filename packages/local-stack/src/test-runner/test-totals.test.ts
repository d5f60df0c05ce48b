import { singleTotal, sumTotals, totalsLine } from './test-totals.ts'

test('sumTotals adds passed, failed and skipped tests', () => {
  expect(sumTotals([])).toEqual({ passed: 0, failed: 0, skipped: 0 })
  expect(sumTotals([{ passed: 1, failed: 2, skipped: 3 }, singleTotal(true)])).toEqual({
    passed: 2,
    failed: 2,
    skipped: 3,
  })
})

test('singleTotal counts a step such as lint as one check', () => {
  expect(singleTotal(true)).toEqual({ passed: 1, failed: 0, skipped: 0 })
  expect(singleTotal(false)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('totalsLine shows skipped tests only if there are any', () => {
  expect(totalsLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed')
  expect(totalsLine({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped')
})
