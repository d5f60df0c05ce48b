import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scenarioSchema } from '@cobro/cli/scenario-schema'
import type { DocsManifest } from './built/built-docs.ts'
import { apiPages } from './reference/api-pages.ts'
import { cliPage } from './reference/cli-page.ts'
import { errorPage } from './reference/error-page.ts'
import { eventPage } from './reference/event-page.ts'
import { sdkPage } from './reference/sdk-page.ts'
import { buildSite, type SourcePage } from './site/build-site.ts'
import { chaptersOf } from './site/chapters.ts'
import { buildDownloads } from './site/downloads.ts'
import { exampleUrl } from './site/example-url.ts'
import type { SiteFile } from './site/site-file.ts'

const root = join(import.meta.dirname, '..')
const content = join(root, 'content')
const target = join(root, 'dist', 'site')

const api = apiPages()
const written = readdirSync(content, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.md') && !file.startsWith('introductions/'))
  .map(file => ({ path: file.replace(/(^|\/)index\.md$|\.md$/, ''), markdown: read(join(content, file)) }))
const generated = [
  ...api,
  eventPage(),
  errorPage(),
  sdkPage(read(join(content, 'introductions/sdk.md'))),
  cliPage(read(join(content, 'introductions/cli.md'))),
  changelogPage(),
]
const sources: SourcePage[] = [
  ...written.map(page => ({ ...page, isGenerated: false })),
  ...generated.map(page => ({ ...page, isGenerated: true })),
]
const chapters = chaptersOf(api.map(({ path }) => path))
const included = { snippets: join(root, 'snippets'), screens: join(root, '..', 'dashboard', 'docs', 'screens') }
const [site, downloads] = await Promise.all([buildSite(sources, chapters, included), buildDownloads()])
const schema: SiteFile = {
  path: 'scenario.schema.json',
  content: Buffer.from(JSON.stringify(scenarioSchema())),
  type: 'application/schema+json',
  kind: 'text',
}
writeSite([...site, schema, ...downloads])

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

/** Links of the repository's changelog lead to files that the site does not have. */
function changelogPage() {
  const changelog = read(join(root, '..', '..', 'CHANGELOG.md')).replace(/\[([^\]]+)\]\((?!https:)[^)]+\)/g, '$1')
  return { path: 'reference/changelog', markdown: changelog }
}

function writeSite(files: readonly SiteFile[]): void {
  rmSync(target, { recursive: true, force: true })
  const listed: [string, DocsManifest['files'][string]][] = files.map(({ path, content: bytes, type, kind }) => {
    const file = kind === 'page' || kind === 'console' ? `${path || 'index'}.html` : path
    mkdirSync(dirname(join(target, file)), { recursive: true })
    writeFileSync(join(target, file), bytes)
    return [path, { file, type, kind }]
  })
  const manifest: DocsManifest = { exampleUrl, files: Object.fromEntries(listed) }
  writeFileSync(join(target, 'manifest.json'), JSON.stringify(manifest, null, 1))
  const pages = listed.filter(([, { kind }]) => kind === 'page').length
  process.stdout.write(`${pages} pages in ${files.length} files\n`)
}
