import { join } from 'node:path'
import { type InstalledPackage, installedNodes, installPackage, run } from '@cobro/testing/installed-package'

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage(join(import.meta.dirname, '..'))
})
afterAll(() => installed?.remove())

const cobro = (node: string, ...args: string[]) =>
  run(node, [join(installed.project, 'node_modules', '.bin', 'cobro'), ...args], { cwd: installed.project })

test('the tarball has one file of code and the samples, and installs nothing else', async () => {
  const samples = ['README.md', 'env', 'gitignore', 'package.json', 'server.mjs'].map(
    file => `samples/receiver/${file}`,
  )
  const expected = ['LICENSE', 'README.md', 'dist/cobro.js', 'package.json', ...samples]
  expect(installed.files.toSorted()).toEqual(expected.map(file => `package/${file}`).toSorted())
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: installed.project })
  expect(stdout.trim().split('\n')).toHaveLength(2)
})

test.each(installedNodes())('the installed command runs in %s', async node => {
  expect((await cobro(node, '--version')).stdout).toBe('0.1.0\n')
  expect((await cobro(node, 'sessions', 'create', '--help')).stdout).toContain('--amount_total')
  const steps = await cobro(node, 'trigger', 'payment.refunded', '--show', '--set', 'amount_total=9900')
  expect(steps.stdout).toContain('amount_total: 9900')
  const sample = `receiver-${node.length}`
  const created = await cobro(node, '--base-url', 'https://pay.example', 'samples', 'create', 'receiver', sample)
  expect(created.stdout.split('\n')).toContain(`${sample}/server.mjs`)
  await expect(cobro(node, 'nothing')).rejects.toMatchObject({ code: 2 })
})
