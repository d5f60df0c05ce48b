import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { type JestReport, readJestReport } from './jest-report.ts'
import type { TestStep } from './test-steps.ts'
import { noTests, singleTotal } from './test-totals.ts'

/** Where each step leaves a JUnit report, for CI. */
const junitFolder = join(repositoryRoot, 'test-reports')

const progressReporter = join(repositoryRoot, 'packages/testing/progress-reporter.mjs')

/** The result of a step. */
export interface StepResult extends JestReport {
  name: TestStep['name'] | 'stop'
  ms: number
}

interface RunOptions {
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  /** An existing directory for Jest's reports. */
  reports: string
  /** A pattern for the names of the tests to run. */
  testName?: string | undefined
}

/** Runs a step. Aborting kills the step and every process that it started. */
export async function runStep(step: TestStep, options: RunOptions): Promise<StepResult> {
  const startedAt = performance.now()
  const report = step.kind === 'check' ? await runCheck(step, options) : await runTests(step, options)
  return { name: step.name, ms: performance.now() - startedAt, ...report }
}

/** Runs a check and prints its output once it has ended: checks run side by side. */
async function runCheck(
  { name, command, args }: TestStep & { kind: 'check' },
  options: RunOptions,
): Promise<JestReport> {
  const output: string[] = []
  const write = (text: string) => void output.push(text)
  const code = await runCommand(command, args, options, { out: write, error: write })
  const text = output.join('')
  process.stdout.write(`\n${name}\n${text}`)
  const totals = singleTotal(code)
  const failures = totals.failed > 0 ? [{ file: name, test: undefined, messages: [lastLines(text)] }] : []
  return { totals, files: [], failures }
}

/** Returns the end of an output, for the list of failures. */
const lastLines = (text: string) => stripVTControlCharacters(text).trim().split('\n').slice(-60).join('\n')

async function runTests(step: TestStep & { kind: 'tests' }, options: RunOptions): Promise<JestReport> {
  const report = join(options.reports, `${step.name}.json`)
  const args = [
    // With one worker, Jest runs the tests in its own process, whose coverage Node writes at its end.
    `--maxWorkers=${options.env.NODE_V8_COVERAGE ? 1 : step.workers}`,
    // A failed suite may leave connections open, and Jest would wait for them.
    '--forceExit',
    `--reporters=${progressReporter}`,
    '--reporters=jest-junit',
    '--json',
    `--outputFile=${report}`,
    ...(options.testName ? ['--testNamePattern', options.testName] : []),
    '--runTestsByPath',
    ...step.files,
  ]
  const junit = {
    JEST_JUNIT_OUTPUT_DIR: junitFolder,
    JEST_JUNIT_OUTPUT_NAME: `${step.name}.xml`,
    JEST_JUNIT_SUITE_NAME: '{filepath}',
    JEST_JUNIT_CLASSNAME: '{filepath}',
  }
  const printed = { error: printUnlessNotice }
  const ok = (await runCommand('jest', args, { ...options, env: { ...options.env, ...junit } }, printed)) === 0
  const result = readReport(report)
  // Jest failed without a failed test, or without a report.
  if (!ok && result.failures.length === 0) {
    return {
      ...result,
      totals: { ...result.totals, failed: 1 },
      failures: [{ file: step.name, test: undefined, messages: [] }],
    }
  }
  return result
}

function readReport(path: string): JestReport {
  try {
    return readJestReport(path)
  } catch {
    return { totals: noTests, files: [], failures: [] }
  }
}

/** What Jest prints about options that it was given on purpose. */
const notice = /^(?:Test results written to: |Force exiting Jest: )/

function printUnlessNotice(text: string): void {
  if (!notice.test(stripVTControlCharacters(text))) process.stderr.write(text)
}

/** Where the output of a command goes; it is printed by default. */
interface Output {
  out?: (text: string) => void
  error?: (text: string) => void
}

/** Runs a command, and returns its exit code, or 1 if it was killed or could not be started. */
async function runCommand(
  command: string,
  args: string[],
  { env, signal }: RunOptions,
  { out, error }: Output = {},
): Promise<number> {
  // In its own process group, so that Ctrl-C reaches only this process, which can then kill the whole group.
  const child = spawn(command, args, {
    cwd: repositoryRoot,
    env,
    detached: true,
    stdio: ['ignore', out ? 'pipe' : 'inherit', error ? 'pipe' : 'inherit'],
  })
  child.stdout?.setEncoding('utf8').on('data', out ?? (() => undefined))
  child.stderr?.setEncoding('utf8').on('data', error ?? (() => undefined))
  const killGroup = () => void killProcessGroup(child.pid)
  signal.addEventListener('abort', killGroup)
  if (signal.aborted) killGroup()
  const code = await new Promise<number>(resolve => {
    child.once('error', error => {
      console.error(error.message)
      resolve(1)
    })
    child.once('close', code => resolve(code ?? 1))
  })
  signal.removeEventListener('abort', killGroup)
  return code
}

async function killProcessGroup(pid: number | undefined): Promise<void> {
  if (!pid) return
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    try {
      process.kill(-pid, signal)
    } catch {
      return
    }
    await sleep(10_000, undefined, { ref: false })
  }
}
