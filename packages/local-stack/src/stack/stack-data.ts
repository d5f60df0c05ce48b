import { rm } from 'node:fs/promises'
import { type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { stackFiles } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { createDemoData } from '../services/demo-data.ts'
import { runServiceCommand, type ServiceProgram } from '../services/service-program.ts'
import type { StackSettings } from '../services/service-settings.ts'
import { runOncePerFingerprint } from '../sources/fingerprint.ts'
import { dataFingerprint } from '../sources/stack-fingerprints.ts'

/** Runs all migrations, declares the broker topology, and creates the demo data. */
export async function prepareData(input: {
  programs: Record<StackServiceName, ServiceProgram>
  settings: StackSettings
  /** Settles once the broker of the settings is ready. */
  brokerIsReady: Promise<unknown>
  /** Whether this stack started its own database and broker: no other stack can change them. */
  privateServers: boolean
  report: ReportProgress
}): Promise<void> {
  const { programs, settings, privateServers, brokerIsReady, report } = input
  const stamp = stackFiles(settings.dir).migratedFrom
  if (!privateServers) await forgetPreparedData(settings.dir)
  // Skipped while the sources are unchanged. A second start then need not wait for RabbitMQ here.
  await runOncePerFingerprint(stamp, await dataFingerprint(), async () => {
    await brokerIsReady
    report('running the migrations')
    await waitForAll(stackServiceNames.map(name => migrate(programs[name], settings)))
    report('creating the demo merchants')
    await createDemoData(settings.dir, programs.gateway, settings.secrets)
  })
}

/** Lets the next start prepare the data again. */
export const forgetPreparedData = (dir: string) => rm(stackFiles(dir).migratedFrom, { force: true })

function migrate(program: ServiceProgram, { database, broker }: StackSettings): Promise<string> {
  const logins = { MIGRATION_DATABASE_URL: database.migratorUrl, AMQP_URL: broker.url('migrate') }
  return runServiceCommand({ ...program, env: { ...program.env, ...logins } }, 'migrate')
}
