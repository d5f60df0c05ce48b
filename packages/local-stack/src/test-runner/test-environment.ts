import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { describeError } from '../machine/user-error.ts'
import type { TestServers } from '../servers/server.ts'
import { startTestServers } from '../servers/test-servers.ts'
import { buildHostedPage } from '../sources/hosted-page-build.ts'
import { stopOrphanedProcesses } from '../stack/orphaned-processes.ts'
import { findChromium } from './chromium.ts'
import type { TestStep } from './test-steps.ts'

/** Provides servers, a browser and the hosted page to tests, each once a step first needs it. */
export interface TestEnvironment {
  /** Prepares what a step needs and returns its environment variables. */
  provide: (needs: TestStep['needs']) => Promise<NodeJS.ProcessEnv>
  stop: () => Promise<void>
}

/** Creates the environment without preparing anything yet. `long` also enables the long tests. */
export async function createTestEnvironment(
  long: boolean,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<TestEnvironment> {
  const temporary = await mkdtemp(join(tmpdir(), 'cobro-tests-'))
  const baseEnv = {
    ...process.env,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
      .filter(Boolean)
      .join(' '),
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: compileCache,
    TURBO_TELEMETRY_DISABLED: '1',
    ...(long && { COBRO_TEST_LONG: '1' }),
  }
  let servers: Promise<TestServers> | undefined
  return {
    provide: async needs => {
      if (needs.page) await buildHostedPage(report)
      if (needs.servers) servers ??= startTestServers(report, signal)
      const { postgresUrl, amqpUrl } = (needs.servers && (await servers)) || {}
      const patientUrl = postgresUrl && withDefault(postgresUrl, 'connect_timeout', '20')
      // Empty if there is no browser: the tests that need one then fail with a message that says what to do.
      const chromium = needs.browser && ((await findChromium(report)) ?? '')
      return { ...baseEnv, TEST_POSTGRES_URL: patientUrl, TEST_AMQP_URL: amqpUrl, CHROMIUM_PATH: chromium }
    },
    stop: async () => {
      // A test that was killed could not stop the stacks that it had started.
      for (const name of await readdir(temporary)) await stopOrphanedProcesses(join(temporary, name))
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
