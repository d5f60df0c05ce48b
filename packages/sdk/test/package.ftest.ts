import { spawnSync } from 'node:child_process'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { type InstalledPackage, installedNodes, installPackage, run } from '@cobro/testing/installed-package'
import { build } from 'vite'

const entries = ['', '/admin', '/webhooks', '/testing']
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwvL1yZ3rF0pA='

let installed: InstalledPackage
let project: string
beforeAll(async () => {
  installed = await installPackage(join(import.meta.dirname, '..'))
  project = installed.project
})
afterAll(() => installed?.remove())

test('the tarball has both builds, their types and nothing else, in 150 KB', async () => {
  const { files, tarball } = installed
  const isExpected = (file: string) =>
    /^package\/(dist\/(esm|cjs)\/[\w/-]+\.(js|d\.ts)|dist\/cjs\/package\.json|package\.json|README\.md|LICENSE)$/.test(
      file,
    )
  expect(files.filter(file => !isExpected(file) || file.includes('.test.'))).toEqual([])
  for (const file of ['esm/index.js', 'esm/index.d.ts', 'cjs/testing.js', 'cjs/webhooks.d.ts'])
    expect(files).toContain(`package/dist/${file}`)
  expect((await stat(tarball)).size).toBeLessThan(150_000)
  const manifest = JSON.parse(await readFile(join(project, 'node_modules', '@cobro', 'sdk', 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
})

/** Verifies a webhook that it signs, with what each entry exports. */
const program = (load: (entry: string) => string) => `
  ;(async () => {
    const { createCobro, NotFoundError } = ${load('')}
    const { createCobroAdmin } = ${load('/admin')}
    const { verifyWebhook } = ${load('/webhooks')}
    const { signWebhook, exampleEvent, fakeCobro } = ${load('/testing')}
    const { body, headers } = await signWebhook(exampleEvent('payment.approved'), '${secret}')
    const { event } = await verifyWebhook(body, headers, '${secret}')
    const { cobro } = fakeCobro({ answers: { getTransaction: () => Response.json({ error: 'not_found' }, { status: 404 }) } })
    const error = await cobro.transactions.retrieve('txn_1').catch(caught => caught)
    console.log([event, error instanceof NotFoundError, typeof createCobro, typeof createCobroAdmin].join())
  })()`
const expected = 'payment.approved,true,function,function\n'

async function expectToWorkIn(node: string): Promise<void> {
  await writeFile(
    join(project, 'esm.mjs'),
    program(entry => `await import('@cobro/sdk${entry}')`),
  )
  await writeFile(
    join(project, 'cjs.cjs'),
    program(entry => `require('@cobro/sdk${entry}')`),
  )
  for (const file of ['esm.mjs', 'cjs.cjs']) {
    const { stdout } = await run(node, [file], { cwd: project })
    expect(stdout).toBe(expected)
  }
}

test.each(installedNodes())('the installed package works by import and by require in %s', expectToWorkIn)

test('errors of the two builds are of the same classes', async () => {
  const code = `
    import { NotFoundError } from '@cobro/sdk'
    import { createRequire } from 'node:module'
    const { fakeCobro } = createRequire(import.meta.url)('@cobro/sdk/testing')
    const { cobro } = fakeCobro({ answers: { getTransaction: () => Response.json({ error: 'not_found' }, { status: 404 }) } })
    console.log(await cobro.transactions.retrieve('txn_1').catch(error => error instanceof NotFoundError))`
  await writeFile(join(project, 'both.mjs'), code)
  expect((await run(process.execPath, ['both.mjs'], { cwd: project })).stdout).toBe('true\n')
})

test.each(['nodenext', 'bundler'])(
  'the types of every entry are found with moduleResolution %s',
  async moduleResolution => {
    const names = entries.map((entry, at) => `import * as entry${at} from '@cobro/sdk${entry}'\n`).join('')
    const used = `${names}
    export const all = [${entries.map((_, at) => `entry${at}`).join()}]
    export const id: Promise<string> = entry0.createCobro({ apiKey: '', baseUrl: '' }).transactions.retrieve('').then(one => one.id)
    // @ts-expect-error No such status exists.
    entry0.createCobro({ apiKey: '', baseUrl: '' }).transactions.list({ status: 'payed' })`
    await writeFile(join(project, 'types.mts'), used)
    await writeFile(join(project, 'types.cts'), used)
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext'
    const files = moduleResolution === 'bundler' ? ['types.mts'] : ['types.mts', 'types.cts']
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', module]
    await run('tsc', [...options, '--moduleResolution', moduleResolution, '--types', '', ...files], { cwd: project })
  },
)

// Three tools from the registry, in their exact versions. Skipped where it cannot be reached.
const hasRegistry = spawnSync('npm', ['view', 'publint@0.3.25', 'version']).stdout.toString().trim() === '0.3.25'
const testWithRegistry = hasRegistry ? test : test.skip

testWithRegistry('publint and arethetypeswrong find nothing wrong with the tarball', async () => {
  await run('npx', ['--yes', 'publint@0.3.25', '--strict', installed.tarball], { cwd: project })
  // Without the resolution of Node 10, which knows no entries.
  const profile = ['--profile', 'node16', installed.tarball]
  await run('npx', ['--yes', '@arethetypeswrong/cli@0.18.5', ...profile], { cwd: project })
})

testWithRegistry('the installed package works in Node 22', async () => {
  const name = `node-${process.platform}-${process.arch}`
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', `${name}@22.23.3`], { cwd: project })
  await expectToWorkIn(join(project, 'node_modules', name, 'bin', 'node'))
})

testWithRegistry('the types are those of TypeScript 5.4 too', async () => {
  await run('npm', ['install', '--no-audit', '--no-fund', 'typescript@5.4.5'], { cwd: project })
  await writeFile(join(project, 'old.mts'), `export * from '@cobro/sdk'\nexport * from '@cobro/sdk/admin'\n`)
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext']
  await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), ...options, 'old.mts'], {
    cwd: project,
  })
})

/** Bundles an export of the installed package as a script for anything with web globals. */
async function bundled(name: string, entry: string): Promise<string> {
  const file = join(project, `${name}.js`)
  await writeFile(file, `export { ${name} } from '@cobro/sdk${entry}'`)
  const built = await build({
    root: project,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib: { entry: file, formats: ['iife'], name: 'sdk' } },
  })
  const [output] = [built].flat()
  if (!output || !('output' in output)) throw new Error('vite built nothing')
  return output.output[0].code
}

test.each([
  ['createCobro', '', 12_000],
  ['verifyWebhook', '/webhooks', 2_500],
])('%s needs no module of Node, and has at most so many bytes', async (name, entry, most) => {
  const code = await bundled(name, entry)
  expect(code).not.toMatch(/node:|require\(/)
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(most)
})

test('the client and the verification run with web globals alone', async () => {
  const { AbortController, crypto, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams } = globalThis
  const web = { AbortController, crypto, Headers, Response, TextDecoder, TextEncoder, URL, URLSearchParams }
  const fetched: string[] = []
  const context = createContext({
    ...web,
    ...{ setTimeout, clearTimeout, Uint8Array, Promise },
    fetch: async (url: string) => {
      fetched.push(url)
      return Response.json({ data: { id: 'txn_1' } })
    },
  })
  const client = `${await bundled('createCobro', '')}; sdk.createCobro({ apiKey: 'vk_test_1', baseUrl: 'https://pay.example' }).transactions.retrieve('txn_1')`
  expect(await runInContext(client, context)).toEqual({ id: 'txn_1' })
  expect(fetched).toEqual(['https://pay.example/api/transactions/txn_1'])
})
