import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { fingerprint, runOncePerFingerprint } from './fingerprint.ts'

/** Builds the hosted page if its sources have changed since the last build. */
export async function buildHostedPage(report: ReportProgress): Promise<void> {
  const current = await fingerprint(['packages/hosted-page', 'packages/contracts/src'])
  await runOncePerFingerprint(join(repositoryRoot, 'packages/hosted-page/dist/.built-from'), current, async () => {
    report('building the hosted page')
    const built = await runCommand('pnpm', ['--filter', '@cobro/hosted-page', 'build'], { cwd: repositoryRoot })
    if (!built.ok) throw userError(`Building the hosted page failed:\n${built.stdout}${built.stderr}`)
  })
}
