/** One kind of checks, and the command that makes them. */
export interface TestStep {
  name: StepName
  command: string
  args: string[]
  /** A step that runs no tests counts as one itself. */
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

/** What the arguments of `npm test` narrow the run to. */
export interface TestSelection {
  only: StepName[]
  filters: string[]
  long: boolean
}

/**
 * The steps of a run. A filter names packages, so what looks at the whole repositoryRoot is left out then, and the acceptance
 * tests run where the filter names their package.
 */
export function selectSteps({ only, filters }: TestSelection): TestStep[] {
  const wanted = (name: StepName) => only.length === 0 || only.includes(name)
  const inFilter = (name: StepName) =>
    filters.length === 0 || (ofWholeStack.has(name) ? filters.includes('@cobro/acceptance') : !ofRepository.has(name))
  return allSteps(filters).filter(({ name }) => wanted(name) && inFilter(name))
}

const ofRepository = new Set<StepName>(['lint', 'generated', 'description'])
/** Two steps: what is held to seconds has the machine to itself, the rest share it. */
const ofWholeStack = new Set<StepName>(['acceptance', 'timed'])

function allSteps(filters: string[]): TestStep[] {
  const turbo = (task: string, atOnce: number, ...rest: string[]) => ({
    command: 'turbo',
    args: [
      'run',
      task,
      `--concurrency=${atOnce}`,
      ...turboOptions,
      ...filters.map(name => `--filter=${name}`),
      ...rest,
    ],
  })
  return [
    {
      name: 'lint',
      command: 'biome',
      args: ['ci', '--colors=off', '--error-on-warnings', '.'],
      counts: 'once',
      needs: {},
    },
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
      // What most packages have in common is read once where all of them are checked together.
      ...(filters.length > 0 ? turbo('typecheck', 2) : { command: 'pnpm', args: ['run', 'typecheck'] }),
      counts: 'once',
      needs: {},
    },
    { name: 'unit', ...turbo('test:unit', 2, '--', endAnyway), counts: 'tests', needs: {} },
    {
      name: 'integration',
      // They wait for servers, processes and clocks for a third of their time.
      ...turbo('test:integration', 3, '--', endAnyway),
      counts: 'tests',
      needs: { servers: true, browser: true, page: true },
    },
    ...[...ofWholeStack].map(name => ({
      name,
      command: 'pnpm',
      args: ['--filter', '@cobro/acceptance', 'run', `test:${name}`, endAnyway],
      counts: 'tests' as const,
      needs: { servers: true as const, browser: true as const, page: true as const },
    })),
  ]
}

/** A suite that has failed may leave connections open, and Jest would wait for their end. */
const endAnyway = '--forceExit'

/** One failure must not hide others, and the environment was chosen by us already. */
const turboOptions = [
  '--continue',
  '--env-mode=loose',
  '--log-order=grouped',
  '--log-prefix=task',
  '--no-update-notifier',
]
