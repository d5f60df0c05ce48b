import { parseArgs } from 'node:util'
import { runCli, terminationSignal } from '../machine/cli.ts'
import { progressReporter } from '../machine/progress.ts'
import { describeError, userError } from '../machine/user-error.ts'
import { runStep } from '../test-runner/run-test-step.ts'
import { createTestEnvironment, type TestEnvironment } from '../test-runner/test-environment.ts'
import { type StepName, selectSteps, stepNames, type TestSelection, type TestStep } from '../test-runner/test-steps.ts'
import { addTotals, noTests, type Totals, totalsLine } from '../test-runner/test-totals.ts'

/** What a whole run may take on a small machine. A run that hangs must not hold up whoever waits for its last line. */
const budgetMinutes = 20

await runCli(async () => {
  const selection = readSelection()
  const totals = await runSteps(selection)
  console.log(totalsLine(totals))
  return totals.failed === 0 && totals.passed > 0 ? 0 : 1
})

function readSelection(): TestSelection {
  const { values } = parseArguments()
  const unknown = values.only.find(name => !(stepNames as readonly string[]).includes(name))
  if (unknown) throw userError(`There are no ${unknown} tests: expected one of ${stepNames.join(', ')}.`)
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
    throw userError(`${(error as Error).message} npm test -- takes --only <kind>, --filter <package> and --long.`)
  }
}

async function runSteps(selection: TestSelection): Promise<Totals> {
  const report = progressReporter(console.log)
  const late = AbortSignal.timeout(budgetMinutes * 60_000)
  const signal = selection.long ? terminationSignal() : AbortSignal.any([terminationSignal(), late])
  const surroundings = await createTestEnvironment(selection.long, report, signal)
  let totals = noTests
  try {
    for (const step of selectSteps(selection)) {
      if (signal.aborted) break
      report(`checking ${step.name}`)
      totals = addTotals(totals, await runOrFail(step, surroundings, signal))
    }
    if (late.aborted && !selection.long) report(`The tests took longer than ${budgetMinutes} minutes and were ended.`)
  } finally {
    await surroundings.stop()
  }
  return totals
}

/** A step whose surroundings cannot be had has failed, which must not keep the others from running. */
async function runOrFail(step: TestStep, surroundings: TestEnvironment, signal: AbortSignal): Promise<Totals> {
  try {
    const totals = await runStep(step, await surroundings.provide(step.needs), signal)
    // What an end by force kept from running must not look as if it had gone well.
    return signal.aborted ? addTotals(totals, { ...noTests, failed: 1 }) : totals
  } catch (error) {
    if (!signal.aborted) console.error(describeError(error))
    return { ...noTests, failed: 1 }
  }
}
