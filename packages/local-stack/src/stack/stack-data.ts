import { rm } from 'node:fs/promises'
import { type StackServiceName, stackServiceNames } from '../layout/stack-layout.ts'
import { stackFiles } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { waitForAll } from '../machine/wait-for-all.ts'
import { seed } from '../services/demo-data.ts'
import { runServiceCommand, type ServiceProgram } from '../services/service-program.ts'
import type { StackSettings } from '../services/service-settings.ts'
import { runOncePerFingerprint } from '../sources/fingerprint.ts'
import { dataFingerprint } from '../sources/stack-fingerprints.ts'

/** Brings all schemas to their newest migration, declares the topology, and makes the demo data. */
export async function prepareData(input: {
  programs: Record<StackServiceName, ServiceProgram>
  settings: StackSettings
  /** Whether database and broker are this folder's own, so that nobody else can have changed them. */
  privateServers: boolean
  report: ReportProgress
}): Promise<void> {
  const { programs, settings, privateServers, report } = input
  const stamp = stackFiles(settings.dir).migratedFrom
  if (!privateServers) await rm(stamp, { force: true })
  // Saves half of a second start: nothing of this can be needed while the sources are the same.
  await runOncePerFingerprint(stamp, await dataFingerprint(), async () => {
    report('migrating the schemas')
    await waitForAll(stackServiceNames.map(name => migrate(programs[name], settings)))
    report('making the demo merchants')
    await seed(settings.dir, programs.gateway, settings.secrets)
  })
}

const migrate = (program: ServiceProgram, { database }: StackSettings): Promise<string> =>
  runServiceCommand({ ...program, env: { ...program.env, MIGRATION_DATABASE_URL: database.migratorUrl } }, 'migrate')
