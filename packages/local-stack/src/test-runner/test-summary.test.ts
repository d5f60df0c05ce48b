import type { StepResult } from './run-test-step.ts'
import { testSummary } from './test-summary.ts'

const step = (result: Partial<StepResult>): StepResult => ({
  name: 'unit',
  ms: 1_500,
  totals: { passed: 2, failed: 0, skipped: 0 },
  files: [{ file: 'packages/a/src/b.test.ts', ms: 700 }],
  failures: [],
  ...result,
})

test('testSummary shows steps, slow files and, as its last line, the totals', () => {
  const lines = testSummary([step({}), step({ name: 'lint', files: [], ms: 500 })]).split('\n')
  expect(lines).toContain('    1.5 s  unit         2 passed, 0 failed')
  expect(lines).toContain('    0.7 s  packages/a/src/b.test.ts')
  expect(lines.at(-1)).toBe('4 passed, 0 failed')
})

test('testSummary shows at most ten files, the slowest first', () => {
  const files = Array.from({ length: 12 }, (_, i) => ({ file: `${i}.test.ts`, ms: i * 1_000 }))
  const shown = testSummary([step({ files })]).match(/\d+\.test\.ts/g)
  expect(shown).toEqual(['11', '10', '9', '8', '7', '6', '5', '4', '3', '2'].map(i => `${i}.test.ts`))
})

test('testSummary shows failures last, each with the command that runs just that test', () => {
  const failures = [
    { file: 'a.test.ts', test: "block doesn't (yet) work", messages: ['Error: no\n  at a.test.ts'] },
    { file: 'b.test.ts', test: undefined, messages: ['SyntaxError'] },
    { file: 'lint', test: undefined, messages: [] },
  ]
  const text = testSummary([
    step({ failures: failures.slice(0, 2), totals: { passed: 2, failed: 2, skipped: 1 } }),
    step({ name: 'lint', failures: failures.slice(2), totals: { passed: 0, failed: 1, skipped: 0 } }),
  ])
  expect(text).toContain('    Error: no\n      at a.test.ts')
  expect(text).toContain(`npm test -- --filter a.test.ts --test '^block doesn'\\''t \\(yet\\) work$'`)
  expect(text).toContain('npm test -- --filter b.test.ts\n')
  expect(text).toContain('npm test -- --only lint')
  expect(text.split('\n').at(-1)).toBe('2 passed, 3 failed, 1 skipped')
})

test('testSummary lists each test once that did not pass in all rounds, with the number of its failures', () => {
  const failed = step({ failures: [{ file: 'a.test.ts', test: 'block works', messages: ['Error: no'] }] })
  const lines = testSummary([failed, step({}), failed], 3).split('\n')
  expect(lines.slice(lines.indexOf('Not passed in all 3 rounds'), -2)).toEqual([
    'Not passed in all 3 rounds',
    '    2 ×  a.test.ts: block works',
  ])
})
