import { filesOfKind, type TestKind } from './test-files.ts'

/** What a step needs to be prepared. */
export interface StepNeeds {
  servers?: true
  /** A browser and PgBouncer. */
  programs?: true
  page?: true
}

/**
 * A step of a test run: a command that checks the whole repository, or test files that Jest runs.
 */
export type TestStep =
  | { name: CheckName; kind: 'check'; command: string; args: string[] }
  | { name: TestKind; kind: 'tests'; files: string[]; workers: number; needs: StepNeeds }

const checkNames = ['lint', 'generated', 'description', 'types', 'advisories', 'mutation'] as const
type CheckName = (typeof checkNames)[number]
export const testKindNames = ['unit', 'integration', 'acceptance', 'faults', 'load'] as const
export const stepNames = [
  'lint',
  'generated',
  'description',
  'types',
  'advisories',
  ...testKindNames,
  'mutation',
] as const
export type StepName = (typeof stepNames)[number]

const checks: Record<CheckName, [string, ...string[]]> = {
  lint: ['pnpm', 'run', 'lint:source'],
  generated: [process.execPath, '--conditions=cobro-source', 'packages/generate/src/main.ts', '--check'],
  description: ['redocly', 'lint', 'openapi.json'],
  types: ['pnpm', 'run', 'typecheck'],
  advisories: [process.execPath, '--conditions=cobro-source', 'packages/supply-chain/src/main.ts', 'advisories'],
  mutation: ['stryker', 'run'],
}

const everything: StepNeeds = { servers: true, programs: true, page: true }

/**
 * How each kind of tests is run. More workers than cores, because tests also wait for servers,
 * processes and timers. Integration and acceptance tests run at the same time and take about as long.
 */
const testRuns: Record<TestKind, { workers: number; needs: StepNeeds }> = {
  unit: { workers: 2, needs: {} },
  integration: { workers: 4, needs: everything },
  acceptance: { workers: 1, needs: everything },
  faults: { workers: 2, needs: everything },
  // One file at a time, because they measure what the machine can do, or load it with a share of that.
  load: { workers: 1, needs: everything },
}

/**
 * Returns the steps that run these checks, and the test files of these kinds. Kinds without a file
 * have no step.
 */
export function stepsOf(names: readonly StepName[], files: readonly string[]): TestStep[] {
  return stepNames
    .filter(name => names.includes(name))
    .map(name => (isCheck(name) ? checkStep(name) : testStep(name, files)))
    .filter(step => step.kind === 'check' || step.files.length > 0)
}

const isCheck = (name: StepName): name is CheckName => (checkNames as readonly string[]).includes(name)

function checkStep(name: CheckName): TestStep {
  const [command, ...args] = checks[name]
  return { name, kind: 'check', command, args }
}

const testStep = (name: TestKind, files: readonly string[]): TestStep => ({
  name,
  kind: 'tests',
  files: filesOfKind(files, name),
  ...testRuns[name],
})
