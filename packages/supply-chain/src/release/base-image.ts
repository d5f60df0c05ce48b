import { userError } from '@cobro/local-stack/user-error'
import type { Docker } from './docker.ts'

/** The image that the images of a release are built on. */
export interface BaseImage {
  /** As in the Dockerfile. */
  name: string
  /** The digest in its registry, or null if it was only built on this machine. */
  digest: string | null
  /** What the build uses: the name with its digest, if it has one. */
  reference: string
}

/**
 * Pulls the base image and returns its digest, so that all images of a release are built on the
 * same one. A rehearsal takes the image that this machine has, also one without a digest.
 */
export async function resolveBaseImage(docker: Docker, name: string, rehearsal: boolean): Promise<BaseImage> {
  if (!rehearsal) await docker(['pull', '--quiet', name])
  const digest = await registryDigest(docker, name)
  if (!digest && !rehearsal) throw userError(`${name} has no digest of a registry: release from an image that has one.`)
  const reference = digest && !name.includes('@') ? `${name}@${digest}` : name
  return { name, digest, reference }
}

/** Returns the digest under which its own registry has an image, or null if it does not. */
export async function registryDigest(docker: Docker, image: string): Promise<string | null> {
  const digests: string[] = JSON.parse(await docker(['image', 'inspect', '--format={{json .RepoDigests}}', image]))
  const repository = image.replace(/(:[^/@]+)?(@.*)?$/, '')
  return digests.find(one => one.startsWith(`${repository}@`))?.split('@')[1] ?? null
}
