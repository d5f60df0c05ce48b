import type { FailedTest } from './jest-report.ts'
import type { StepResult } from './run-test-step.ts'
import { sumTotals, totalsLine } from './test-totals.ts'

const slowestCount = 10

/**
 * Formats the end of a run: the duration of each step, the slowest files, each failure with its
 * command, and the totals. After several rounds it also lists each test once that did not pass in
 * all of them.
 */
export function testSummary(results: readonly StepResult[], rounds = 1): string {
  const steps = results.map(({ name, ms, totals }) => `${seconds(ms)}  ${name.padEnd(11)}  ${totalsLine(totals)}`)
  const slowest = slowestFiles(results).map(({ file, ms }) => `${seconds(ms)}  ${file}`)
  const failures = results.flatMap(result => result.failures.map(failure => failureLines(result.name, failure)))
  return [
    section('Steps', steps),
    section(`The ${slowestCount} slowest files`, slowest),
    section('Failures', failures),
    rounds > 1 ? section(`Not passed in all ${rounds} rounds`, unreliable(results)) : '',
    totalsLine(sumTotals(results.map(result => result.totals))),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const section = (title: string, lines: readonly string[]) => (lines.length > 0 ? [title, ...lines].join('\n') : '')

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(7)} s`

/** Returns the slowest files. A file that ran several times counts with its longest run. */
function slowestFiles(results: readonly StepResult[]): { file: string; ms: number }[] {
  const files = results.flatMap(result => result.files).toSorted((a, b) => b.ms - a.ms)
  return files.filter((one, at) => files.findIndex(({ file }) => file === one.file) === at).slice(0, slowestCount)
}

/** Returns a line for each test that failed, with the number of its failures. */
function unreliable(results: readonly StepResult[]): string[] {
  const failures = results.flatMap(result =>
    result.failures.map(({ file, test }) => [file, test].filter(Boolean).join(': ')),
  )
  return [...Map.groupBy(failures, name => name)].map(
    ([name, times]) => `${String(times.length).padStart(5)} ×  ${name}`,
  )
}

function failureLines(step: StepResult['name'], { file, test, messages }: FailedTest): string {
  const about = messages.map(message => indent(message.trim()))
  return [`  ${[file, test].filter(Boolean).join(': ')}`, ...about, `    ${repeatCommand(step, file, test)}`].join('\n')
}

/** Returns the command that runs a failed step, file or test again. */
function repeatCommand(step: StepResult['name'], file: string, test: string | undefined): string {
  if (step === 'stop') return 'npm test'
  if (step === file) return `npm test -- --only ${step}`
  const name = test === undefined ? '' : ` --test ${quoted(`^${escapePattern(test)}$`)}`
  return `npm test -- --filter ${file}${name}`
}

const indent = (text: string) => text.replace(/^/gm, '    ')
const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
