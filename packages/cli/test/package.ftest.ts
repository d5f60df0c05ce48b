import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@cobro/testing'
import { type InstalledPackage, installedNodes, installPackage, run } from '@cobro/testing/installed-package'

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage(join(import.meta.dirname, '..'))
})
afterAll(() => installed?.remove())

const cobro = (node: string, ...args: string[]) =>
  run(node, [join(installed.project, 'node_modules', '.bin', 'cobro'), ...args], {
    cwd: installed.project,
    // Without the profiles of the developer.
    env: { PATH: process.env.PATH, HOME: installed.project },
  })

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
  const sample = `receiver-${installedNodes().indexOf(node)}`
  const created = await cobro(node, '--base-url', 'https://pay.example', 'samples', 'create', 'receiver', sample)
  expect(created.stdout.split('\n')).toContain(`${sample}/server.mjs`)
  await expect(cobro(node, 'nothing')).rejects.toMatchObject({ code: 2 })
})

/** Answers as the feed of a merchant to whom nothing happens. */
async function startEmptyFeed() {
  const server = createServer(({ url = '' }, response) => {
    const me = { environment: 'sandbox', merchant: { id: 'mrc_1' } }
    const body = url.startsWith('/api/me') ? { data: me } : { data: [], after: 0, through: 0, head: 0, floor: 1 }
    response.writeHead(200, { 'content-type': 'application/json' })
    // A call that waits is never answered.
    if (!url.includes('wait=')) response.end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux.each(installedNodes())('listen in %s uses at most 80 MB while it waits', async node => {
  const server = await startEmptyFeed()
  const { port } = server.address() as AddressInfo
  const { project } = installed
  const child = spawn(node, [join(project, 'node_modules', '.bin', 'cobro'), 'listen'], {
    env: { HOME: project, COBRO_API_KEY: 'vk_test_1', COBRO_BASE_URL: `http://127.0.0.1:${port}` },
  })
  try {
    let printed = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      printed += text
    })
    await waitFor(() => printed.includes('Ready.'))
    // V8 compiles in the background for a moment.
    await sleep(1_000)
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
    expect(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(80_000)
  } finally {
    child.kill()
    server.closeAllConnections()
    server.close()
  }
})
