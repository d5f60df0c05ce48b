import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { resolveBaseImage } from '../src/release/base-image.ts'
import { buildImage } from '../src/release/build-release.ts'
import type { Docker } from '../src/release/docker.ts'
import { images } from '../src/sbom/images.ts'
import { packageSbom } from '../src/sbom/package-sbom.ts'

const ops = images.find(({ name }) => name === 'ops')!
const baseDigest = `sha256:${'1'.repeat(64)}`
const pushedDigest = `sha256:${'2'.repeat(64)}`
const id = `sha256:${'3'.repeat(64)}`
const sbom = await packageSbom(ops, '2026-01-02T03:04:05.000Z')
const content = {
  node: '24.21.0',
  system: { id: 'debian', version: '12' },
  systemPackages: [{ name: 'libc6', version: '2.36-9', architecture: 'amd64' }],
  packages: sbom.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
  sbom,
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-release-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A docker whose registry has these digests. Records its calls. */
function fakeDocker(digests: Record<string, string>) {
  const calls: string[][] = []
  const docker: Docker = async args => {
    calls.push(args)
    const image = args.at(-1) ?? ''
    if (args.includes('--format={{json .RepoDigests}}'))
      return JSON.stringify(digests[image] ? [`elsewhere@${id}`, `${image.split(':')[0]}@${digests[image]}`] : [])
    if (args.includes('--format={{.Id}}')) return `${id}\n`
    return args[0] === 'run' ? JSON.stringify(content) : ''
  }
  return { docker, calls }
}

describe('resolveBaseImage', () => {
  test('resolveBaseImage pulls the base image and builds on its digest', async () => {
    const { docker, calls } = fakeDocker({ 'node:24': baseDigest })
    const base = await resolveBaseImage(docker, 'node:24', false)
    expect(base).toEqual({ name: 'node:24', digest: baseDigest, reference: `node:24@${baseDigest}` })
    expect(calls[0]).toEqual(['pull', '--quiet', 'node:24'])
  })

  test('resolveBaseImage rejects a base image without a digest, except in a rehearsal', async () => {
    const { docker, calls } = fakeDocker({})
    await expect(resolveBaseImage(docker, 'node:24', false)).rejects.toThrow('node:24 has no digest of a registry')
    calls.length = 0
    expect(await resolveBaseImage(docker, 'node:24', true)).toEqual({
      name: 'node:24',
      digest: null,
      reference: 'node:24',
    })
    expect(calls.map(([command]) => command)).toEqual(['image'])
  })
})

describe('buildImage', () => {
  const reference = 'registry.example/cobro/ops:1.0.0'
  const base = { name: 'node:24', digest: baseDigest, reference: `node:24@${baseDigest}` }
  const options = { version: '1.0.0', revision: 'abc', epoch: '1767323045', repository: 'registry.example/cobro', base }

  test('buildImage records the digests of a pushed image, and writes a valid SBOM', async () => {
    const { docker, calls } = fakeDocker({ [reference]: pushedDigest })
    const built = await buildImage(docker, ops, { ...options, push: true, folder })
    const text = await readFile(join(folder, 'ops.cdx.json'), 'utf8')
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(built).toEqual({ name: 'ops', reference, id, digest: pushedDigest, sbom: { file: 'ops.cdx.json', sha256 } })
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull()
    expect(calls[0]).toEqual(
      expect.arrayContaining([
        'build',
        '--target=ops',
        `--build-arg=NODE_IMAGE=node:24@${baseDigest}`,
        `--label=org.opencontainers.image.base.digest=${baseDigest}`,
        '--label=org.opencontainers.image.revision=abc',
      ]),
    )
    expect(calls).toContainEqual(['push', '--quiet', reference])
  })

  test('buildImage records no digest of an image that was not pushed', async () => {
    const { docker, calls } = fakeDocker({})
    const built = await buildImage(docker, ops, { ...options, push: false, folder })
    expect(built).toMatchObject({ id, digest: null })
    expect(calls.map(([command]) => command)).not.toContain('push')
  })

  test('buildImage pushes no image that has a package without an entry in its SBOM', async () => {
    const { docker, calls } = fakeDocker({ [reference]: pushedDigest })
    const other: Docker = async args =>
      args[0] === 'run' ? JSON.stringify({ ...content, packages: ['npm@11.0.0'] }) : docker(args)
    await expect(buildImage(other, ops, { ...options, push: true, folder })).rejects.toThrow('npm@11.0.0')
    expect(calls.map(([command]) => command)).not.toContain('push')
  })
})
