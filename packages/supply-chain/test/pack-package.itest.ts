import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'
import { packPackage } from '../src/packages/pack-package.ts'

const entry = { import: { default: './dist/index.js' } }
const repository = { type: 'git', url: 'git+https://git.example/cobro.git', directory: 'packages/example' } as const
const manifest = {
  name: '@cobro/example',
  version: '1.2.3',
  private: true,
  type: 'module',
  files: ['dist'],
  exports: { '.': './src/index.ts' },
  publishConfig: { exports: { '.': entry } },
  scripts: { build: 'mkdir -p dist && cp src/index.js dist/' },
  devDependencies: { typescript: '1.0.0' },
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-pack-test-'))
  await mkdir(join(folder, 'package', 'src'), { recursive: true })
  await writeFile(join(folder, 'package', 'src', 'index.js'), 'export {}\n')
})
afterEach(() => rm(folder, { recursive: true }))

const pack = async (change: object = {}) => {
  const scripts = { ...manifest.scripts, ...change }
  await writeFile(join(folder, 'package', 'package.json'), JSON.stringify({ ...manifest, scripts }))
  return packPackage(join(folder, 'package'), join(folder, 'out'), repository)
}

test('a private package is built and packed as one that can be published', async () => {
  const { name, version, tarball, size, integrity, files } = await pack()
  expect([name, version, tarball]).toEqual(['@cobro/example', '1.2.3', join(folder, 'out', 'cobro-example-1.2.3.tgz')])
  expect(size).toBe((await readFile(tarball)).length)
  expect(integrity).toMatch(/^sha512-/)
  expect(files.map(({ path }) => path).toSorted()).toEqual(['dist/index.js', 'package.json'])
  await runCommand('tar', ['xzf', tarball], { cwd: folder })
  const { private: _private, publishConfig: _config, scripts: _scripts, devDependencies: _dev, ...rest } = manifest
  const published = JSON.parse(await readFile(join(folder, 'package', 'package.json'), 'utf8'))
  expect(published).toEqual({ ...rest, exports: { '.': entry }, repository })
})

test('a package that does not build is not packed', async () => {
  await expect(pack({ build: 'echo broken && exit 1' })).rejects.toThrow(/pnpm run failed in .*broken/s)
})
