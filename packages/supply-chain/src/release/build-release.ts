import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Image } from '../sbom/images.ts'
import { type BaseImage, registryDigest } from './base-image.ts'
import type { Docker } from './docker.ts'
import { imageContent } from './image-content.ts'
import { imageSbom } from './image-sbom.ts'

/** What is built, and from what. */
export interface ReleaseOptions {
  version: string
  /** The commit. */
  revision: string
  /** The time of the commit, in seconds. */
  epoch: string
  /** What comes before the names of images, as in `registry.example/cobro`. */
  repository: string
  /** Whether images are pushed. */
  push: boolean
  base: BaseImage
  /** An existing directory for the documents. */
  folder: string
}

/** An image of a release, as `release.json` records it. */
export interface ReleasedImage {
  name: string
  /** The name with its version. */
  reference: string
  /** The digest of its configuration, which docker calls its id. */
  id: string
  /** The digest in the registry that it was pushed to, or null if it was not. */
  digest: string | null
  sbom: { file: string; sha256: string }
}

/** Builds an image, writes its SBOM to the folder, and pushes it if asked to. */
export async function buildImage(docker: Docker, image: Image, options: ReleaseOptions): Promise<ReleasedImage> {
  const reference = `${options.repository}/${image.name}:${options.version}`
  await docker(buildArguments(image, reference, options))
  const id = (await docker(['image', 'inspect', '--format={{.Id}}', reference])).trim()
  const content = await imageContent(docker, reference)
  const described = { name: `${options.repository}/${image.name}`, version: options.version, id }
  const text = `${JSON.stringify(imageSbom(described, content), null, 2)}\n`
  const file = `${image.name}.cdx.json`
  writeFileSync(join(options.folder, file), text)
  if (options.push) await docker(['push', '--quiet', reference])
  return {
    name: image.name,
    reference,
    id,
    digest: options.push ? await registryDigest(docker, reference) : null,
    sbom: { file, sha256: createHash('sha256').update(text).digest('hex') },
  }
}

function buildArguments(image: Image, reference: string, { base, version, revision, epoch }: ReleaseOptions): string[] {
  const labels = {
    version,
    revision,
    licenses: 'Apache-2.0',
    'base.name': base.name,
    ...(base.digest && { 'base.digest': base.digest }),
  }
  return [
    'build',
    '--file=deploy/docker/Dockerfile',
    `--target=${image.name}`,
    `--tag=${reference}`,
    `--build-arg=NODE_IMAGE=${base.reference}`,
    `--build-arg=SOURCE_DATE_EPOCH=${epoch}`,
    ...Object.entries(labels).map(([name, value]) => `--label=org.opencontainers.image.${name}=${value}`),
    '.',
  ]
}
