import { singleTotal, sumTotals, totalsLine } from './test-totals.ts'

test('sumTotals adds passed, failed and skipped tests', () => {
  expect(sumTotals([])).toEqual({ passed: 0, failed: 0, skipped: 0 })
  expect(sumTotals([{ passed: 1, failed: 2, skipped: 3 }, singleTotal(0)])).toEqual({
    passed: 2,
    failed: 2,
    skipped: 3,
  })
})

test('singleTotal counts a step such as lint as one check', () => {
  expect(singleTotal(0)).toEqual({ passed: 1, failed: 0, skipped: 0 })
  expect(singleTotal(1)).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('singleTotal counts a check that exits with 75 as skipped, neither passed nor failed', () => {
  expect(singleTotal(75)).toEqual({ passed: 0, failed: 0, skipped: 1 })
})

test('totalsLine shows skipped tests only if there are any', () => {
  expect(totalsLine({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed')
  expect(totalsLine({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped')
})
