import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { runCli, terminationSignal } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { describeError, userError } from '../machine/user-error.ts'
import { affectedTests } from '../test-runner/affected-tests.ts'
import { changedFiles } from '../test-runner/changed-files.ts'
import { importGraph } from '../test-runner/import-graph.ts'
import { reportCoverage } from '../test-runner/report-coverage.ts'
import { runStep, type StepResult } from '../test-runner/run-test-step.ts'
import { createTestEnvironment, type TestEnvironment } from '../test-runner/test-environment.ts'
import { allTestFiles } from '../test-runner/test-files.ts'
import { readSelection, type TestSelection } from '../test-runner/test-selection.ts'
import type { StepName, TestStep } from '../test-runner/test-steps.ts'
import { testSummary } from '../test-runner/test-summary.ts'
import { noTests, sumTotals } from '../test-runner/test-totals.ts'

/** Ends a run that hangs. */
const timeoutMinutes = 80

await runCli(async () => {
  const selection = readSelection(process.argv.slice(2), { files: allTestFiles(), affected })
  const results = await runRounds(selection)
  console.log(`\n${testSummary(results, selection.rounds)}`)
  const { passed, failed } = sumTotals(results.map(result => result.totals))
  if (selection.testName !== undefined && passed + failed === 0)
    throw userError(`No test has a name that matches ${selection.testName}.`)
  return failed === 0 ? 0 : 1
})

/** Returns the test files that the changes since the main branch can affect. */
function affected(files: readonly string[]): string[] {
  return affectedTests(files, changedFiles(repositoryRoot), importGraph(repositoryRoot))
}

async function runRounds({ steps, testName, long, coverage, rounds }: TestSelection): Promise<StepResult[]> {
  const report = progressReporter(console.log)
  const timeout = AbortSignal.timeout(timeoutMinutes * 60_000)
  const unlimited = long || coverage || rounds > 1
  const signal = unlimited ? terminationSignal() : AbortSignal.any([terminationSignal(), timeout])
  const environment = await createTestEnvironment({ long, coverage }, report, signal)
  const results: StepResult[] = []
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const group of groupsOf(steps)) {
        if (signal.aborted) break
        const names = group.map(step => step.name).join(', ')
        report(rounds > 1 ? `running ${names}, round ${round} of ${rounds}` : `running ${names}`)
        results.push(...(await Promise.all(group.map(step => runOrFail(step, environment, { signal, testName })))))
      }
    }
    if (coverage) reportCoverage(join(environment.reports, 'coverage'))
    if (timeout.aborted && !unlimited) report(`The tests were stopped after ${timeoutMinutes} minutes.`)
  } finally {
    // Must not throw: the results of the steps would be lost.
    await environment.stop().catch(error => results.push(failedStep('stop', error)))
  }
  return results
}

/**
 * Returns the steps that run at the same time: the checks, then the unit tests, then the
 * integration and acceptance tests, which both often wait, then the faults, and the load alone.
 */
function groupsOf(steps: readonly TestStep[]): TestStep[][] {
  const names: StepName[][] = [
    ['lint', 'generated', 'description', 'types', 'advisories'],
    ['unit'],
    ['integration', 'acceptance'],
    ['faults'],
    ['load'],
    ['mutation'],
  ]
  return names.map(group => steps.filter(({ name }) => group.includes(name))).filter(group => group.length > 0)
}

/** Runs a step. If its environment cannot be prepared, the step fails and the run continues. */
async function runOrFail(
  step: TestStep,
  environment: TestEnvironment,
  options: { signal: AbortSignal; testName: string | undefined },
): Promise<StepResult> {
  try {
    const env = await environment.provide(step.kind === 'tests' ? step.needs : {})
    const result = await runStep(step, { ...options, env, reports: environment.reports })
    if (step.name === 'acceptance' || step.name === 'faults') await environment.stopSharedStacks()
    if (!options.signal.aborted) return result
    // An aborted step has not run all of its tests, so it counts as a failure.
    const { totals, failures } = failedStep(step.name)
    return { ...result, totals: sumTotals([result.totals, totals]), failures: [...result.failures, ...failures] }
  } catch (error) {
    return failedStep(step.name, options.signal.aborted ? undefined : error)
  }
}

/** Returns the result of a step that failed as a whole, and prints the error at once. */
function failedStep(name: StepResult['name'], error?: unknown): StepResult {
  const messages = error === undefined ? [] : [describeError(error)]
  for (const message of messages) console.error(message)
  const totals = { ...noTests, failed: 1 }
  return { name, ms: 0, totals, files: [], failures: [{ file: name, test: undefined, messages }] }
}
