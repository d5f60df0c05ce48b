/** A step of `npm test`, and the command that runs it. */
export interface TestStep {
  name: StepName
  command: string
  args: string[]
  /** How it adds to the totals: by its tests, or as a single check. */
  counts: 'once' | 'tests'
  needs: { servers?: true; browser?: true; page?: true }
}

export const stepNames = [
  'lint',
  'generated',
  'description',
  'types',
  'unit',
  'integration',
  'acceptance',
  'timed',
] as const
export type StepName = (typeof stepNames)[number]

/** The selection in the arguments of `npm test`. */
export interface TestSelection {
  only: StepName[]
  filters: string[]
  long: boolean
}

/**
 * Returns the steps of a run. A filter selects packages, so it drops checks of the whole repository
 * and keeps the acceptance tests only if it names their package.
 */
export function selectSteps({ only, filters }: TestSelection): TestStep[] {
  const wanted = (name: StepName) => only.length === 0 || only.includes(name)
  const inFilter = (name: StepName) =>
    filters.length === 0 || (ofWholeStack.has(name) ? filters.includes('@cobro/acceptance') : !ofRepository.has(name))
  return allSteps(filters).filter(({ name }) => wanted(name) && inFilter(name))
}

const ofRepository = new Set<StepName>(['lint', 'generated', 'description'])
/** The acceptance tests. Timed ones run one at a time, since other tests would slow them down. */
const ofWholeStack = new Set<StepName>(['acceptance', 'timed'])

function allSteps(filters: string[]): TestStep[] {
  const selected = filters.map(name => `--filter=${name}`)
  const turbo = (task: string, concurrency: number, ...rest: string[]) => ({
    command: 'turbo',
    args: ['run', task, `--concurrency=${concurrency}`, ...turboOptions, ...selected, ...rest],
  })
  return [
    { name: 'lint', command: 'pnpm', args: ['run', 'lint:source'], counts: 'once', needs: {} },
    {
      name: 'generated',
      command: process.execPath,
      args: ['--conditions=cobro-source', 'packages/generate/src/main.ts', '--check'],
      counts: 'once',
      needs: {},
    },
    { name: 'description', command: 'redocly', args: ['lint', 'openapi.json'], counts: 'once', needs: {} },
    {
      name: 'types',
      // Checking all packages in one program reads their common files only once.
      ...(filters.length > 0 ? turbo('typecheck', 2) : { command: 'pnpm', args: ['run', 'typecheck'] }),
      counts: 'once',
      needs: {},
    },
    { name: 'unit', ...turbo('test:unit', 2, '--', forceExit), counts: 'tests', needs: {} },
    {
      name: 'integration',
      // Integration tests spend a third of their time waiting for servers, processes and timers.
      ...turbo('test:integration', 3, '--', forceExit),
      counts: 'tests',
      needs: { servers: true, browser: true, page: true },
    },
    ...[...ofWholeStack].map(name => ({
      name,
      command: 'pnpm',
      args: ['--filter', '@cobro/acceptance', 'run', `test:${name}`, forceExit],
      counts: 'tests' as const,
      needs: { servers: true as const, browser: true as const, page: true as const },
    })),
  ]
}

/** A failed suite may leave connections open, and Jest would wait for them. */
const forceExit = '--forceExit'

/** Continues after a failure to show all of them, and passes the environment on unchanged. */
const turboOptions = [
  '--continue',
  '--env-mode=loose',
  '--log-order=grouped',
  '--log-prefix=task',
  '--no-update-notifier',
]
