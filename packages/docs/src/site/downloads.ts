import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SiteFile } from './site-file.ts'

const run = promisify(execFile)

/** The packages that a deployment serves, so that its users need no registry and get the version that fits. */
const packages = ['sdk', 'cli']

/** Builds and packs the SDK and the command. */
export async function buildDownloads(): Promise<SiteFile[]> {
  return Promise.all(
    packages.map(async name => {
      const content = await packed(join(import.meta.dirname, '..', '..', '..', name))
      return { path: `downloads/cobro-${name}.tgz`, content, type: 'application/gzip', kind: 'download' as const }
    }),
  )
}

async function packed(folder: string): Promise<Buffer> {
  const target = await mkdtemp(join(tmpdir(), 'cobro-download-'))
  try {
    await run('pnpm', ['run', 'build'], { cwd: folder })
    await run('pnpm', ['pack', '--pack-destination', target], { cwd: folder })
    const [name = ''] = await readdir(target)
    return await readFile(join(target, name))
  } finally {
    await rm(target, { recursive: true, force: true })
  }
}
