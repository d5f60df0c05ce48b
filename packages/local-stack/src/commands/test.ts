import { parseArgs } from 'node:util'
import { runCli, terminationSignal } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { describeError, userError } from '../machine/user-error.ts'
import { runStep, type StepResult } from '../test-runner/run-test-step.ts'
import { createTestEnvironment, type TestEnvironment } from '../test-runner/test-environment.ts'
import { type StepName, selectSteps, stepNames, type TestSelection, type TestStep } from '../test-runner/test-steps.ts'
import { addTotals, noTests, singleTotal, totalsLine } from '../test-runner/test-totals.ts'

/** Ends a hanging run. A run takes up to 20 minutes on two idle cores, much longer on busy ones. */
const timeoutMinutes = 80

await runCli(async () => {
  const selection = readSelection()
  const { totals, failures } = await runSteps(selection)
  // Once more at the end, because the output of a whole run is long.
  if (failures.length > 0) console.log(['', 'Failures:', ...failures].join('\n\n'))
  console.log(totalsLine(totals))
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1
})

function readSelection(): TestSelection {
  const { values } = parseArguments()
  const unknown = values.only.find(name => !(stepNames as readonly string[]).includes(name))
  if (unknown) throw userError(`Unknown step ${unknown}: expected one of ${stepNames.join(', ')}.`)
  return { only: values.only as StepName[], filters: values.filter, long: values.long }
}

function parseArguments() {
  const options = {
    only: { type: 'string', multiple: true, default: [] as string[] },
    filter: { type: 'string', multiple: true, default: [] as string[] },
    long: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ options })
  } catch (error) {
    throw userError(
      `${(error as Error).message} Options of npm test -- are --only <step>, --filter <package> and --long.`,
    )
  }
}

async function runSteps(selection: TestSelection): Promise<StepResult> {
  const report = progressReporter(console.log)
  const timeout = AbortSignal.timeout(timeoutMinutes * 60_000)
  const signal = selection.long ? terminationSignal() : AbortSignal.any([terminationSignal(), timeout])
  const environment = await createTestEnvironment(selection.long, report, signal)
  let totals = noTests
  const failures: string[] = []
  try {
    for (const step of selectSteps(selection)) {
      if (signal.aborted) break
      report(`running ${step.name}`)
      const result = await runOrFail(step, environment, signal)
      totals = addTotals(totals, result.totals)
      failures.push(...result.failures.map(failure => `${step.name}: ${failure}`))
    }
    if (timeout.aborted && !selection.long) report(`The tests were stopped after ${timeoutMinutes} minutes.`)
  } finally {
    // Must not throw: the failures of the steps would be lost.
    await environment.stop().catch(error => {
      totals = addTotals(totals, singleTotal(false))
      failures.push(`stop: ${printError(error)}`)
    })
  }
  return { totals, failures }
}

/** Runs a step. If its environment cannot be prepared, the step fails and the run continues. */
async function runOrFail(step: TestStep, environment: TestEnvironment, signal: AbortSignal): Promise<StepResult> {
  try {
    const result = await runStep(step, await environment.provide(step.needs), signal)
    // An aborted step has not run all of its tests, so it counts as a failure.
    return signal.aborted ? { ...result, totals: addTotals(result.totals, singleTotal(false)) } : result
  } catch (error) {
    return { totals: singleTotal(false), failures: signal.aborted ? [] : [printError(error)] }
  }
}

/** Prints an error at once, and returns its text for the list of failures. */
function printError(error: unknown): string {
  const text = describeError(error)
  console.error(text)
  return text
}
