import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'
import { repositoryRoot } from '@cobro/local-stack/stack-paths'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { parse } from 'yaml'
import { packageFolders } from '../src/checks/install-scripts.ts'
import { nameAndVersion, type Sbom } from '../src/sbom/cyclonedx.ts'
import { images } from '../src/sbom/images.ts'
import { packageSbom } from '../src/sbom/package-sbom.ts'

const time = '2026-01-02T03:04:05.000Z'
const sboms = Object.fromEntries(
  await Promise.all(images.map(async image => [image.name, await packageSbom(image, time)] as const)),
)
const lockfile = parse(await readFile(join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8'))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-sbom-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test.each(images.map(({ name }) => name))('the SBOM of %s is valid CycloneDX 1.6', async name => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  expect(await validator.validate(JSON.stringify(sboms[name]))).toBeNull()
})

test('each package in an SBOM has a name, a version, a purl and the hash in the lockfile', () => {
  for (const component of Object.values(sboms).flatMap(sbom => sbom.components)) {
    const id = nameAndVersion(component)
    expect(component.purl).toBe(`pkg:npm/${id.replace(/^@/, '%40')}`)
    if (id.startsWith('@cobro/')) continue
    const [hash] = component.externalReferences?.find(({ type }) => type === 'distribution')?.hashes ?? []
    const [algorithm, digest] = lockfile.packages[id].resolution.integrity.split('-')
    expect([algorithm, digest]).toEqual(['sha512', Buffer.from(hash!.content, 'hex').toString('base64')])
  }
})

test.each(['gateway', 'ops'])('the SBOM of %s lists exactly the packages that its image contains', async name => {
  const { package: filter, optional } = images.find(image => image.name === name)!
  const target = join(folder, name)
  const kinds = optional ? ['--prod'] : ['--prod', '--no-optional']
  const env = { ...process.env, PNPM_CONFIG_INJECT_WORKSPACE_PACKAGES: 'true' }
  const deployed = await runCommand('pnpm', [`--filter=${filter}`, ...kinds, '--offline', 'deploy', target], {
    cwd: repositoryRoot,
    env,
  })
  expect(deployed).toMatchObject({ ok: true })
  const installed = packageFolders(target).map(path => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
  const ids = new Set(installed.map(({ name, version }) => `${name}@${version}`))
  expect([...ids].toSorted()).toEqual(sboms[name]!.components.map(nameAndVersion).toSorted())
})

test('no SBOM lists a package for development', () => {
  const names = Object.values(sboms).flatMap(sbom => sbom.components.map(nameAndVersion))
  const development = /^(jest|typescript|turbo|knip|vite|@biomejs\/biome|playwright-core|@cobro\/testing)@/
  expect(names.filter(name => development.test(name))).toEqual([])
})

test('npm run sbom writes the same bytes each time, without paths or registries of this machine', async () => {
  const write = async (out: string) => {
    const env = { ...process.env, SOURCE_DATE_EPOCH: '1767323045', PNPM_CONFIG_REGISTRY: 'http://mirror.invalid/' }
    const args = ['--conditions=cobro-source', 'packages/supply-chain/src/main.ts', 'sbom', '--out', out]
    expect(await runCommand(process.execPath, args, { cwd: repositoryRoot, env })).toMatchObject({ ok: true })
    return Promise.all(images.map(({ name }) => readFile(join(out, `${name}.cdx.json`), 'utf8')))
  }
  const first = await write(join(folder, 'first'))
  expect(await write(join(folder, 'second'))).toEqual(first)
  expect(JSON.parse(first[0]!)).toEqual(sboms.gateway)
  expect(first.filter(text => text.includes(repositoryRoot) || text.includes('mirror.invalid'))).toEqual([])
  const document: Sbom = JSON.parse(first[0]!)
  expect(document.metadata.timestamp).toBe(time)
})
