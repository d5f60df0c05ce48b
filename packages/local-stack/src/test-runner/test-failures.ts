import { stripVTControlCharacters } from 'node:util'

/** A failure whose details are longer than this is cut, so that the list of all failures stays short. */
const linesPerFailure = 60

/** Returns the details that Jest printed for each failed test or suite, with the task and the file in front. */
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

/** Splits a line into the name of the package's task that turbo puts in front, and the rest. Removes colors. */
function splitPrefix(line: string): [task: string, rest: string] {
  const plain = stripVTControlCharacters(line)
  const [prefix = ''] = /^@cobro\/[\w:-]+: ?/.exec(plain) ?? []
  return [prefix, plain.slice(prefix.length)]
}
