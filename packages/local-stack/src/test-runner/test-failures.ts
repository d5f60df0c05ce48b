import { stripVTControlCharacters } from 'node:util'

/** The number of lines that a failure's details are cut to, so that the list of all stays short. */
const linesPerFailure = 60

/** Returns Jest's details of each failed test or suite, prefixed with the task and the file. */
export function failedTests(output: string): string[] {
  const failures = new Map<string, string[]>()
  let suite = ''
  let failure: string[] | undefined
  for (const [task, line] of output.split('\n').map(splitPrefix)) {
    if (line.startsWith('FAIL ')) suite = `${task}${line.slice('FAIL '.length)}`
    if (startsBlock.test(line)) failure = undefined
    if (line.startsWith('  ● ') && !consoleOutput.test(line)) {
      failure = []
      // Jest repeats all failures after its last suite.
      failures.set(`${suite}\n${line}`, failure)
    }
    if (failure && failure.length < linesPerFailure) failure.push(line.trimEnd())
  }
  return [...failures].map(([title, lines]) => `${title.split('\n')[0]}\n${lines.join('\n').trimEnd()}`)
}

/** Returns the last lines of the output of a step that failed without a failed test. */
export const lastLines = (output: string): string =>
  output
    .split('\n')
    .slice(-linesPerFailure)
    .map(line => splitPrefix(line)[1])
    .join('\n')
    .trim()

const startsBlock = /^(?:PASS|FAIL|RUNS|Test Suites:|Summary of all failing tests)/
const consoleOutput = /^ {2}● Console$/

/** Splits turbo's prefix, which names the package's task, off a line without its colors. */
function splitPrefix(line: string): [task: string, rest: string] {
  const plain = stripVTControlCharacters(line)
  const [prefix = ''] = /^@cobro\/[\w:-]+: ?/.exec(plain) ?? []
  return [prefix, plain.slice(prefix.length)]
}
