import { parseArgs } from 'node:util'
import { userError } from '../machine/user-error.ts'
import { filterFiles } from './test-files.ts'
import { type StepName, stepNames, stepsOf, type TestStep, testKindNames } from './test-steps.ts'

/** What a run of `npm test` does. */
export interface TestSelection {
  steps: TestStep[]
  /** A pattern for the names of the tests to run. */
  testName: string | undefined
  /** Whether the long variants run. */
  long: boolean
  /** Whether to report which code ran. */
  coverage: boolean
  /** How many times the steps run. */
  rounds: number
}

const options = {
  only: { type: 'string', multiple: true, default: [] as string[] },
  filter: { type: 'string', multiple: true, default: [] as string[] },
  test: { type: 'string', short: 't' },
  changed: { type: 'boolean', default: false },
  faults: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  coverage: { type: 'boolean', default: false },
  repeat: { type: 'string' },
} as const
const usage =
  'Options of npm test -- are --only <step>, --filter <package or part of a path>, --test <pattern>, --changed, --faults, --long, --coverage and --repeat <times>.'

/**
 * Reads the arguments of `npm test`. `files` are all test files; `affected` returns those that a
 * change can affect. Throws if the arguments are invalid or select nothing.
 */
export function readSelection(
  args: string[],
  { files, affected }: { files: readonly string[]; affected: (files: readonly string[]) => string[] },
): TestSelection {
  const values = parse(args)
  const rounds = Number(values.repeat ?? 1)
  if (!Number.isInteger(rounds) || rounds < 1) throw userError(`--repeat ${values.repeat}: expected a number. ${usage}`)
  const filtered = filterFiles(files, values.filter)
  const steps = stepsOf(stepNamesOf(values), values.changed ? affected(filtered) : filtered)
  if (steps.length === 0) throw userError('No test file belongs to these steps.')
  return { steps, testName: values.test, long: values.long, coverage: values.coverage, rounds }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw userError(`${(error as Error).message} ${usage}`)
  }
}

/**
 * Returns the steps that the arguments name. A selection of files or tests and a repeated run include
 * no checks by themselves, one that measures coverage only the check that runs code of ours.
 */
function stepNamesOf({
  only,
  filter,
  test,
  faults,
  long,
  coverage,
  repeat,
}: ReturnType<typeof parse>): readonly StepName[] {
  const unknown = only.find(name => !(stepNames as readonly string[]).includes(name))
  if (unknown) throw userError(`Unknown step ${unknown}: expected one of ${stepNames.join(', ')}.`)
  if (only.length > 0) return only as StepName[]
  if (faults) return ['faults', 'load']
  if (filter.length > 0 || test !== undefined || repeat !== undefined) return testKindNames
  if (coverage) return ['generated', ...testKindNames]
  return stepNames.filter(name => long || !['faults', 'load', 'mutation'].includes(name))
}
