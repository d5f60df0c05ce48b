import { failedTests, lastLines } from './test-failures.ts'

const output = `
@cobro/kit:test:unit: PASS unit src/a.test.ts
@cobro/kit:test:unit: \u001b[31mFAIL\u001b[39m unit src/b.test.ts
@cobro/kit:test:unit:   ● Console
@cobro/kit:test:unit:     console.log a
@cobro/kit:test:unit:   ● money › adds
@cobro/kit:test:unit:
@cobro/kit:test:unit:     Expected: 1
@cobro/kit:test:unit:   ● money › divides
@cobro/kit:test:unit:     Expected: 2
@cobro/kit:test:unit: PASS unit src/c.test.ts
@cobro/kit:test:unit: later`

describe('test failures', () => {
  test('failedTests returns the file and the details of each failed test', () => {
    expect(failedTests(output)).toEqual([
      '@cobro/kit:test:unit: unit src/b.test.ts\n  ● money › adds\n\n    Expected: 1',
      '@cobro/kit:test:unit: unit src/b.test.ts\n  ● money › divides\n    Expected: 2',
    ])
  })

  test('failedTests returns a failure once that Jest prints twice', () => {
    const repeated = `${output}\nSummary of all failing tests\n${output}`
    expect(failedTests(repeated)).toHaveLength(2)
  })

  test('failedTests cuts long details', () => {
    const long = `FAIL a.test.ts\n  ● fails\n${'    at line\n'.repeat(500)}`
    expect(failedTests(long)[0]?.split('\n').length).toBeLessThan(100)
  })

  test('lastLines returns the end of the output without the prefixes', () => {
    expect(lastLines('a\n@cobro/kit:typecheck: error TS1\n')).toBe('a\nerror TS1')
  })
})
