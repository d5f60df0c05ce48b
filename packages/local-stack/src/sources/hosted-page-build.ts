import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { fingerprint, runOncePerFingerprint } from './fingerprint.ts'

/** Builds the payer's page where its sources have changed since the last build. */
export async function buildHostedPage(report: ReportProgress): Promise<void> {
  const print = await fingerprint(['packages/hosted-page', 'packages/contracts/src'])
  await runOncePerFingerprint(join(repositoryRoot, 'packages/hosted-page/dist/.built-from'), print, async () => {
    report('building the payer’s page')
    const built = await runCommand('pnpm', ['--filter', '@cobro/hosted-page', 'build'], { cwd: repositoryRoot })
    if (!built.ok) throw userError(`The payer’s page could not be built:\n${built.stdout}${built.stderr}`)
  })
}
