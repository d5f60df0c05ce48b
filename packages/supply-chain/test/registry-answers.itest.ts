import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'
import { auditPackages } from '../src/checks/audit-packages.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

/** Starts a registry that answers so, and returns the environment that names it. */
async function registryWith(answer: RequestListener) {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { ...process.env, PNPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}/` }
}
const auditWith = async (answer: RequestListener, limitMs?: number) =>
  auditPackages(await registryWith(answer), limitMs)

const json = (body: unknown): RequestListener => {
  return (_request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}
const planted = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'Planted',
  severity: 'low',
  vulnerable_versions: '<99',
}

describe('auditPackages', () => {
  test('auditPackages returns the advisories about installed packages, for production and development', async () => {
    const result = await auditWith(json({ express: [planted], jest: [{ ...planted, id: 2 }] }))
    if ('unanswered' in result) throw new Error(result.unanswered)
    const found = result.advisories.map(({ module_name, findings }) => [module_name, findings.some(one => !one.dev)])
    expect(Object.fromEntries(found)).toEqual({ express: true, jest: false })
    expect(result.advisories[0]).toMatchObject({ github_advisory_id: 'GHSA-aaaa-bbbb-cccc', severity: 'low' })
  })

  test('auditPackages returns no advisories if the registry knows none', async () => {
    expect(await auditWith(json({}))).toEqual({ advisories: [] })
  })

  test.each([
    ['a status of a registry without an audit', 405, 'the registry answered with 405'],
    ['a page instead of JSON', 200, 'the registry is out of reach or has no audit'],
  ])('auditPackages says that nothing was checked after %s', async (_, status, unanswered) => {
    const result = await auditWith((_request, response) => response.writeHead(status).end('<html>'))
    expect(result).toEqual({ unanswered })
  })

  test('auditPackages says that nothing was checked if the registry is out of reach', async () => {
    const env = { ...process.env, PNPM_CONFIG_REGISTRY: 'http://127.0.0.1:9/' }
    expect(await auditPackages(env)).toEqual({ unanswered: 'the registry is out of reach or has no audit' })
  })

  test('auditPackages does not wait for a registry that accepts the request and sends no answer', async () => {
    expect(await auditWith(() => {}, 1_500)).toEqual({ unanswered: 'no answer within 1.5 s' })
  })
})

test.each([
  [
    'fails with a line for each advisory',
    { jest: [planted] },
    1,
    /^jest@\S+ \(development, low\): GHSA-aaaa-bbbb-cccc, Planted\n$/,
  ],
  ['succeeds without advisories', {}, 0, /^No advisory concerns a package without an exception\.\n$/],
])('npm run advisories %s', async (_, answer, code, stdout) => {
  const args = ['--conditions=cobro-source', join(import.meta.dirname, '../src/main.ts'), 'advisories']
  const checked = await runCommand(process.execPath, args, { env: await registryWith(json(answer)) })
  expect(checked).toMatchObject({ code, stdout: expect.stringMatching(stdout) })
})
