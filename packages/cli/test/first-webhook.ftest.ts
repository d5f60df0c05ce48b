import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import { type InstalledPackage, installedNodes, installPackage, run } from '@cobro/testing/installed-package'

let cli: InstalledPackage
let sdk: InstalledPackage
let server: Server
beforeAll(async () => {
  cli = await installPackage(join(import.meta.dirname, '..'))
  sdk = await installPackage(join(import.meta.dirname, '..', '..', 'sdk'))
  const tarball = await readFile(sdk.tarball)
  server = createServer(({ url = '' }, response) => {
    if (url === '/docs/downloads/cobro-sdk.tgz') return response.end(tarball)
    const me = { environment: 'sandbox', merchant: { id: 'mrc_1' } }
    const body = url.startsWith('/api/me') ? { data: me } : { data: [], after: 0, through: 0, head: 0, floor: 1 }
    response.setHeader('content-type', 'application/json')
    // A call that waits for events is not answered.
    return url.includes('wait=') ? undefined : response.end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await Promise.all([cli?.remove(), sdk?.remove()])
})

test.each(installedNodes())('in %s the sample is created, installed and started, and prints a webhook', async node => {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const port = String(await freePort())
  const folder = join(cli.project, `receiver-${installedNodes().indexOf(node)}`)
  const env = {
    ...{ PATH: process.env.PATH, HOME: cli.project, PORT: port },
    ...{ COBRO_BASE_URL: baseUrl, COBRO_API_KEY: 'vk_test_1' },
  }
  const cobro = (cwd: string, ...args: string[]) =>
    run(node, [join(cli.project, 'node_modules', '.bin', 'cobro'), ...args], { cwd, env })
  await cobro(cli.project, 'samples', 'create', 'receiver', folder)
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, env })
  await cobro(
    folder,
    'listen',
    '--forward-to',
    `http://localhost:${port}/webhooks`,
    '--write-secret',
    '.env',
    '--detach',
  )
  const receiver = spawn(node, ['--env-file=.env', 'server.mjs'], { cwd: folder, env })
  try {
    let printed = ''
    receiver.stdout.setEncoding('utf8').on('data', text => {
      printed += text
    })
    await waitFor(() => printed.includes('Receiving webhooks'))
    const order = ['--set', 'data.metadata.order=A-42']
    const to = ['--forward-to', `localhost:${port}/webhooks`]
    await cobro(folder, 'events', 'send', '--example', 'payment.approved', ...order, ...to)
    await waitFor(() => printed.includes('"order":"A-42"'))
    expect(printed).toMatch(/^payment\.approved {2}verified {2}\{.*"order":"A-42"\}$/m)
  } finally {
    receiver.kill()
    await cobro(folder, 'listen', '--stop')
  }
})
