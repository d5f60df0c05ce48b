import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { describeError } from '../machine/user-error.ts'
import type { TestServers } from '../servers/server.ts'
import { startTestServers } from '../servers/test-servers.ts'
import { buildPages } from '../sources/page-builds.ts'
import { stopOrphanedProcesses } from '../stack/orphaned-processes.ts'
import { findChromium, findPgBouncer } from './test-programs.ts'
import type { StepNeeds } from './test-steps.ts'

/** Provides servers, programs and the built pages to tests, each once a step first needs it. */
export interface TestEnvironment {
  /** Prepares what a step needs and returns its environment variables. */
  provide: (needs: StepNeeds) => Promise<NodeJS.ProcessEnv>
  /**
   * Stops the stacks that the tests of a step share. They would run on after their worker has ended, and slow down the next step
   * or round.
   */
  stopSharedStacks: () => Promise<void>
  /** A directory for Jest's reports. Coverage is recorded in its folder `coverage`. */
  reports: string
  stop: () => Promise<void>
}

/** The times of the payment protocol that tests would otherwise wait for. */
const shortTimings = { retry: 500, readOutcome: 500, resolve: 2_000, check: 10_000, reverse: 20_000, reconcile: 250 }

/**
 * Creates the environment without preparing anything yet. `long` also enables the long tests;
 * `coverage` records what runs.
 */
export async function createTestEnvironment(
  { long, coverage }: { long: boolean; coverage: boolean },
  report: ReportProgress,
  signal: AbortSignal,
): Promise<TestEnvironment> {
  const temporary = await mkdtemp(join(tmpdir(), 'cobro-tests-'))
  const baseEnv = {
    ...process.env,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--conditions=cobro-source', '--disable-warning=ExperimentalWarning']
      .filter(Boolean)
      .join(' '),
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: compileCache,
    PROTOCOL_TIMINGS: JSON.stringify(shortTimings),
    ...(long && { COBRO_TEST_LONG: '1' }),
    ...(coverage && { NODE_V8_COVERAGE: join(temporary, 'coverage') }),
  }
  let servers: Promise<TestServers> | undefined
  const stopOrphans = async (prefix: string) => {
    for (const name of await readdir(temporary))
      if (name.startsWith(prefix)) await stopOrphanedProcesses(join(temporary, name))
  }
  return {
    reports: temporary,
    stopSharedStacks: () => stopOrphans('cobro-acceptance-'),
    provide: async needs => {
      if (needs.page) await buildPages(report, baseEnv.NODE_V8_COVERAGE)
      // The long tests fill databases with millions of rows.
      if (needs.servers) servers ??= startTestServers({ inMemory: !long, report, signal })
      const { postgresUrl, amqpUrl, rabbitmqApiUrl } = (needs.servers && (await servers)) || {}
      const patientUrl = postgresUrl && withDefault(postgresUrl, 'connect_timeout', '20')
      // Empty if a program is missing: the tests that need it then fail with a message that says what to do.
      const programs = needs.programs && {
        CHROMIUM_PATH: (await findChromium(report)) ?? '',
        PGBOUNCER_PATH: (await findPgBouncer(report)) ?? '',
      }
      const urls = {
        TEST_POSTGRES_URL: patientUrl,
        TEST_AMQP_URL: amqpUrl,
        TEST_RABBITMQ_API_URL: rabbitmqApiUrl,
      }
      return { ...baseEnv, ...urls, ...programs }
    },
    stop: async () => {
      // A test that was killed could not stop the stacks that it had started.
      await stopOrphans('')
      await rm(temporary, { recursive: true, force: true })
      await servers?.then(started => started.stop()).catch(error => console.error(describeError(error)))
    },
  }
}

/** Adds a missing parameter to a URL. On slow machines, many calls wait longer for a connection. */
function withDefault(url: string, name: string, value: string): string {
  const changed = new URL(url)
  if (!changed.searchParams.has(name)) changed.searchParams.set(name, value)
  return changed.href
}
