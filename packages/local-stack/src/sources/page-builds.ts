import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import type { ReportProgress } from '../machine/progress.ts'
import { runCommand } from '../machine/run-command.ts'
import { userError } from '../machine/user-error.ts'
import { fingerprint, runOncePerFingerprint } from './fingerprint.ts'

/** Something that is built for browsers, and the sources that it is built from. */
interface PageBuild {
  folder: string
  name: string
  /** The script of its package.json. */
  script: string
  sources: string[]
}

const hostedPage: PageBuild = {
  folder: 'packages/hosted-page',
  name: 'the hosted page',
  script: 'build',
  sources: ['packages/hosted-page', 'packages/contracts/src', 'packages/look/src'],
}

/** The dashboard calls the API with the SDK, and shows the payer's page as a preview. */
const dashboard: PageBuild = {
  folder: 'packages/dashboard',
  name: 'the dashboard',
  script: 'build:app',
  sources: ['dashboard', 'hosted-page/preview.html', 'hosted-page/src', 'look/src', 'sdk/src'].map(
    folder => `packages/${folder}`,
  ),
}

/**
 * The documentation also packs the SDK and the command, which the command's `pay` shares with this package. It shows pictures of
 * the dashboard.
 */
const documentation: PageBuild = {
  folder: 'packages/docs',
  name: 'the documentation',
  script: 'build:site',
  sources: [
    ...['docs', 'sdk', 'cli', 'contracts/src', 'generate/src', 'http/src', 'look/src'].map(
      folder => `packages/${folder}`,
    ),
    'packages/dashboard/docs/screens',
    'packages/local-stack/src/payer',
    'CHANGELOG.md',
  ],
}

/**
 * Builds the hosted page, the dashboard and the documentation, each if its sources have changed since its last build. `coverage`, a folder
 * for what Node records of the builds, counts as a change.
 */
export async function buildPages(report: ReportProgress, coverage?: string): Promise<void> {
  await Promise.all([hostedPage, dashboard, documentation].map(page => buildPage(page, report, coverage)))
}

async function buildPage(page: PageBuild, report: ReportProgress, coverage: string | undefined): Promise<void> {
  const { folder, name, script, sources } = page
  const current = `${await fingerprint(sources)}${coverage ?? ''}`
  await runOncePerFingerprint(join(repositoryRoot, folder, 'dist', '.built-from'), current, async () => {
    report(`building ${name}`)
    const env = { ...process.env, ...(coverage && { NODE_V8_COVERAGE: coverage }) }
    const built = await runCommand('pnpm', ['run', script], { cwd: join(repositoryRoot, folder), env })
    if (!built.ok) throw userError(`Building ${name} failed:\n${built.stdout}${built.stderr}`)
  })
}
