import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { licenseExceptions } from '../checks/exceptions.ts'
import { installScriptViolations, scriptedPackages } from '../checks/install-scripts.ts'
import { licenseViolations } from '../checks/licenses.ts'
import { images } from '../sbom/images.ts'
import { packageSbom } from '../sbom/package-sbom.ts'

/** Checks the licenses of the packages in images, and whose install scripts may run. */
export async function lint(): Promise<number> {
  const sboms = await Promise.all(images.map(image => packageSbom(image, undefined)))
  const violations = [
    ...licenseViolations(sboms, licenseExceptions),
    ...installScriptViolations({
      workspace: readText('pnpm-workspace.yaml'),
      lockfile: readText('pnpm-lock.yaml'),
      scripted: scriptedPackages(repositoryRoot),
    }),
  ]
  for (const line of violations) process.stdout.write(`${line}\n`)
  return violations.length > 0 ? 1 : 0
}

const readText = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8')
