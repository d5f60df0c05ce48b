import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { images } from '../sbom/images.ts'
import { packageSbom, sourceTime } from '../sbom/package-sbom.ts'

/** Writes `<image>.cdx.json` for the production packages of each image, to `dist/sbom` or `--out`. */
export async function sbom(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { out: { type: 'string', default: 'dist/sbom' } } })
  const folder = resolve(repositoryRoot, values.out)
  mkdirSync(folder, { recursive: true })
  const time = await sourceTime()
  for (const image of images) {
    const document = await packageSbom(image, time)
    writeFileSync(join(folder, `${image.name}.cdx.json`), `${JSON.stringify(document, null, 2)}\n`)
    process.stdout.write(`${image.name}: ${document.components.length} packages\n`)
  }
  return 0
}
