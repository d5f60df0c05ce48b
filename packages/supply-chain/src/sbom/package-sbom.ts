import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { userError } from '@cobro/local-stack/user-error'
import { reproducible, type Sbom } from './cyclonedx.ts'
import type { Image } from './images.ts'

/**
 * Returns the SBOM of the production packages of an image, as installed here: of packages for one
 * platform, those of this one. Throws if pnpm fails.
 */
export async function packageSbom(image: Image, timestamp: string | undefined): Promise<Sbom> {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-spec-version=1.6',
    '--sbom-type=application',
    '--prod',
    ...(image.optional ? [] : ['--no-optional']),
    `--filter=${image.package}`,
    // The address of a package is otherwise that of a mirror, if one is configured.
    '--registry=https://registry.npmjs.org/',
  ]
  const { ok, stdout, stderr } = await runCommand('pnpm', args, { cwd: repositoryRoot })
  if (!ok) throw userError(`pnpm sbom failed for ${image.package}: ${stderr.trim()}`)
  return reproducible(JSON.parse(stdout) as Sbom, timestamp)
}

/**
 * Returns the time for documents about this source: `SOURCE_DATE_EPOCH`, or the time of the last
 * commit, or undefined outside a git repository.
 */
export async function sourceTime(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const { ok, stdout } = env.SOURCE_DATE_EPOCH
    ? { ok: true, stdout: env.SOURCE_DATE_EPOCH }
    : await runCommand('git', ['log', '-1', '--format=%ct'], { cwd: repositoryRoot })
  return ok ? new Date(Number(stdout) * 1_000).toISOString() : undefined
}
