import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { noTests, type Totals } from './test-totals.ts'

/** A test that failed, or a file that could not run, whose `test` is then undefined. */
export interface FailedTest {
  file: string
  test: string | undefined
  messages: string[]
}

/** The result of a run of Jest. */
export interface JestReport {
  totals: Totals
  /** The duration of each file, in milliseconds. */
  files: { file: string; ms: number }[]
  failures: FailedTest[]
}

/** The part of the report that Jest writes with `--json` that is read here. */
interface JestJson {
  numPassedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    startTime: number
    endTime: number
    status: string
    message: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string; failureMessages: string[] | null }[]
  }[]
}

/** Reads the file that Jest wrote with `--json --outputFile`. */
export function readJestReport(path: string): JestReport {
  return toReport(JSON.parse(readFileSync(path, 'utf8')) as JestJson)
}

/** Converts Jest's report. A file that failed without a failed test counts as one failure. */
export function toReport({ numPassedTests, numPendingTests, numTodoTests, testResults }: JestJson): JestReport {
  const failures = testResults.flatMap(({ name, status, message, assertionResults }): FailedTest[] => {
    const file = relative(repositoryRoot, name)
    const failed = assertionResults
      .filter(test => test.status === 'failed')
      .map(test => ({
        file,
        test: [...test.ancestorTitles, test.title].join(' '),
        messages: test.failureMessages ?? [],
      }))
    return failed.length > 0 || status !== 'failed' ? failed : [{ file, test: undefined, messages: [message] }]
  })
  return {
    totals: {
      ...noTests,
      passed: numPassedTests,
      failed: failures.length,
      skipped: numPendingTests + numTodoTests,
    },
    files: testResults.map(({ name, startTime, endTime }) => ({
      file: relative(repositoryRoot, name),
      ms: endTime - startTime,
    })),
    failures,
  }
}
