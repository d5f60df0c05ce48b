import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { toReport } from './jest-report.ts'

const result = (file: string, rest: object) => ({
  name: join(repositoryRoot, file),
  startTime: 1_000,
  endTime: 3_500,
  status: 'passed',
  message: '',
  assertionResults: [],
  ...rest,
})
const run = (...testResults: ReturnType<typeof result>[]) =>
  toReport({ numPassedTests: 3, numPendingTests: 1, numTodoTests: 1, testResults })

test('toReport counts passed and skipped tests, and gives the duration of each file', () => {
  expect(run(result('a.test.ts', {}))).toEqual({
    totals: { passed: 3, failed: 0, skipped: 2 },
    files: [{ file: 'a.test.ts', ms: 2_500 }],
    failures: [],
  })
})

test('toReport names a failed test with the blocks around it', () => {
  const failed = { ancestorTitles: ['block'], title: 'works', status: 'failed', failureMessages: ['Error: no'] }
  const passed = { ...failed, title: 'starts', status: 'passed', failureMessages: [] }
  expect(run(result('a.test.ts', { status: 'failed', assertionResults: [failed, passed] }))).toMatchObject({
    totals: { failed: 1 },
    failures: [{ file: 'a.test.ts', test: 'block works', messages: ['Error: no'] }],
  })
})

test('toReport counts a file that could not run as one failure', () => {
  expect(run(result('a.test.ts', { status: 'failed', message: 'SyntaxError' }))).toMatchObject({
    totals: { failed: 1 },
    failures: [{ file: 'a.test.ts', test: undefined, messages: ['SyntaxError'] }],
  })
})
