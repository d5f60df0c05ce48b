import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedPackages } from '../src/checks/install-scripts.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cobro-scripts-'))
})
afterEach(() => rm(root, { recursive: true }))

/** Installs a package as pnpm does, and returns its folder. */
async function install(name: string, scripts?: Record<string, string>) {
  const folder = join(root, 'node_modules', '.pnpm', `${name.replace('/', '+')}@1.0.0`, 'node_modules', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', scripts }))
  return folder
}

test('scriptedPackages returns the installed packages with an install script or something to compile', async () => {
  for (const script of ['preinstall', 'install', 'postinstall'])
    await install(`@scope/${script}`, { [script]: 'node x' })
  await install('harmless', { test: 'jest', prepare: 'tsc' })
  await install('plain')
  await writeFile(join(await install('compiled'), 'binding.gyp'), '{}')
  const names = scriptedPackages(root).map(({ name, version }) => `${name}@${version}`)
  expect(names.toSorted()).toEqual(
    ['@scope/install', '@scope/postinstall', '@scope/preinstall', 'compiled'].map(name => `${name}@1.0.0`),
  )
})
