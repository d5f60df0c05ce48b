import { basename, join } from 'node:path'
import { build, type Plugin, type Rolldown } from 'vite'
import { describeFile, pageIntegrity, withIntegrity } from './page-integrity-plugin.ts'
import { integrityOf } from './page-inventory.ts'

const script = { type: 'chunk', fileName: 'assets/index-abcdefgh.js', code: 'pay()', moduleIds: ['/src/main.tsx'] }
const style = { type: 'asset', fileName: 'assets/index-abcdefgh.css', source: 'p{}' }
const icon = { type: 'asset', fileName: 'assets/cobro-mark-abcdefgh.svg', source: '<svg/>' }
const page = { type: 'asset', fileName: 'index.html', source: '' }

const bundleOf = (...files: object[]) =>
  Object.fromEntries(files.map(file => [(file as { fileName: string }).fileName, file])) as Rolldown.OutputBundle
const fileOf = (file: object) => file as Rolldown.OutputBundle[string]

const head = [
  '<link rel="icon" href="/hosted/assets/cobro-mark-abcdefgh.svg" />',
  '<script type="module" crossorigin src="/hosted/assets/index-abcdefgh.js"></script>',
  '<link rel="stylesheet" crossorigin href="/hosted/assets/index-abcdefgh.css">',
]

test('adds the integrity to scripts and style sheets, and not to the icon', () => {
  const html = withIntegrity(head.join('\n'), bundleOf(page, script, style, icon))
  expect(html.split('\n')).toEqual([
    head[0],
    `<script type="module" crossorigin src="/hosted/assets/index-abcdefgh.js" integrity="${integrityOf('pay()')}"></script>`,
    `<link rel="stylesheet" crossorigin href="/hosted/assets/index-abcdefgh.css" integrity="${integrityOf('p{}')}">`,
  ])
})

test('adds the integrity to a preloaded module', () => {
  const preload = '<link rel="modulepreload" crossorigin href="/hosted/assets/index-abcdefgh.js">'
  expect(withIntegrity(preload, bundleOf(page, script))).toContain(`integrity="${integrityOf('pay()')}"`)
})

test('rejects a script that only another script imports, because browsers would not check its integrity', () => {
  const later = { ...script, fileName: 'assets/later-abcdefgh.js' }
  expect(() => withIntegrity(head.join(''), bundleOf(page, script, style, icon, later))).toThrow(
    'assets/later-abcdefgh.js is loaded later by another file',
  )
})

test.each([
  '<script>pay()</script>',
  '<script src="https://cdn.example/pay.js"></script>',
  '<link rel="stylesheet" href="https://fonts.example/a.css">',
  '<script src="/hosted/assets/unknown-abcdefgh.js"></script>',
])('rejects a page with %s', tag => {
  expect(() => withIntegrity(tag, bundleOf(page))).toThrow('loads nothing of the build')
})

test('describes a script with its hash, its purpose and the packages in it', () => {
  const moduleIds = ['/a/src/main.tsx', '/a/node_modules/.pnpm/jose@6/node_modules/jose/dist/jwe.js', '\0vite/preload']
  expect(describeFile(fileOf({ ...script, code: 'ñ', moduleIds }))).toEqual({
    path: 'assets/index-abcdefgh.js',
    type: 'script',
    bytes: 2,
    integrity: integrityOf('ñ'),
    first_party: true,
    purpose: expect.stringContaining('encrypts'),
    packages: [{ name: 'jose', purpose: expect.stringContaining('Encrypts') }],
  })
})

test.each([
  ['a file', { ...style, fileName: 'assets/banner-abcdefgh.svg' }, 'banner.svg has no purpose'],
  ['a package', { ...script, moduleIds: ['/a/node_modules/@ads/track/index.js'] }, '@ads/track has no purpose'],
  ['a file of another type', { ...style, fileName: 'assets/index-abcdefgh.wasm' }, 'type that the page does not load'],
])('rejects %s that no one has authorized', (_what, file, message) => {
  expect(() => describeFile(fileOf(file))).toThrow(message)
})

/** Builds a page from these files with Vite, the first of which loads the others. Writes none. */
async function buildPage(files: Record<string, string>) {
  const root = '/page'
  const [first = ''] = Object.keys(files)
  const sources: Plugin = {
    name: 'sources',
    enforce: 'pre',
    resolveId: id => (basename(id) in files ? join(root, basename(id)) : undefined),
    load: id => files[basename(id)],
  }
  const built = await build({
    ...{ root, base: '/hosted/', configFile: false, logLevel: 'silent', plugins: [sources, pageIntegrity()] },
    build: { write: false, modulePreload: false, rolldownOptions: { input: join(root, first) } },
  })
  const { output } = built as Rolldown.RolldownOutput
  return Object.fromEntries(
    output.map(file => [file.fileName, file.type === 'asset' ? String(file.source) : file.code]),
  )
}

test('a build writes the inventory and the hash of each script', async () => {
  const built = await buildPage({
    'index.html': '<script type="module" src="/index.js"></script>',
    'index.js': 'document.title = "paid"',
  })
  const script = Object.keys(built).find(name => name.endsWith('.js')) ?? ''
  const { files } = JSON.parse(built['inventory.json'] ?? '')
  expect(files.map(({ path }: { path: string }) => path)).toEqual([script, 'index.html'])
  expect(files[0].integrity).toBe(integrityOf(String(built[script])))
  expect(built['index.html']).toContain(`integrity="${files[0].integrity}"`)
})

test('a build fails for a script that the page would load later', async () => {
  const building = buildPage({
    'index.html': '<script type="module" src="/index.js"></script>',
    'index.js': 'import("/later.js")',
    'later.js': 'document.title = "later"',
  })
  await expect(building).rejects.toThrow('is loaded later by another file')
})

test('a build without a page fails', async () => {
  await expect(buildPage({ 'index.js': 'document.title = "paid"' })).rejects.toThrow('the build has no index.html')
})
