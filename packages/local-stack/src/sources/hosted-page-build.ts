import { join } from 'node:path'
import { repository } from '../layout/stack-paths.ts'
import type { Report } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { plainFault } from '../machine/user-error.ts'
import { fingerprint, onceFor } from './fingerprint.ts'

/** Builds the payer's page where its sources have changed since the last build. */
export async function buildHostedPage(report: Report): Promise<void> {
  const print = await fingerprint(['packages/hosted-page', 'packages/contracts/src'])
  await onceFor(join(repository, 'packages/hosted-page/dist/.built-from'), print, async () => {
    report('building the payer’s page')
    const built = await runCommand('pnpm', ['--filter', '@cobro/hosted-page', 'build'], { cwd: repository })
    if (!built.ok) throw plainFault(`The payer’s page could not be built:\n${built.stdout}${built.stderr}`)
  })
}
