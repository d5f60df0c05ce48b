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

/** What tests find around them, made when the first step asks for it. */
export interface TestEnvironment {
  /** The environment of a step. */
  provide: (needs: TestStep['needs']) => Promise<NodeJS.ProcessEnv>
  stop: () => Promise<void>
}

/** Prepares nothing yet. `long` asks tests for their long variants. */
export async function createTestEnvironment(
  long: boolean,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<TestEnvironment> {
  const temporary = await mkdtemp(join(tmpdir(), 'cobro-tests-'))
  const basic = {
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
      // Empty says that there is no browser to be had: the tests that need one fail and say what to do.
      const chromium = needs.browser && ((await findChromium(report)) ?? '')
      return { ...basic, TEST_POSTGRES_URL: postgresUrl, TEST_AMQP_URL: amqpUrl, CHROMIUM_PATH: chromium }
    },
    stop: async () => {
      // A test that was ended by force could not stop the stacks that it had started.
      for (const folder of await readdir(temporary)) await stopOrphanedProcesses(join(temporary, folder))
      await rm(temporary, { recursive: true, force: true })
      await servers?.then(started => started.stop()).catch(error => console.error(describeError(error)))
    },
  }
}
