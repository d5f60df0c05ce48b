import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { DocsFile } from '../built/built-docs.ts'
import { loadHighlighter } from '../markdown/highlight.ts'
import { type RenderedPage, renderMarkdown } from '../markdown/render-markdown.ts'
import type { SearchEntry } from '../search/search-index.ts'
import { bundleAssets } from './bundle-assets.ts'
import { addressOf, type Chapter } from './chapters.ts'
import { checkLinks } from './check-links.ts'
import { type Layout, pageHtml } from './page-layout.ts'
import { tryPage } from './try-page.ts'

/** A page in Markdown. */
export interface SourcePage {
  /** Its address below `/docs`; empty for the first page. */
  path: string
  markdown: string
  /** Whether it is written from declarations, and may have code that no test runs. */
  isGenerated: boolean
}

/** A file of the site. */
export interface SiteFile extends Omit<DocsFile, 'file'> {
  /** Its address below `/docs`. */
  path: string
  content: Buffer
}

/** The page with the console, which is no page in Markdown. */
const consolePath = 'api/try'
/** The page for addresses without one, which no chapter lists. */
const notFoundPath = 'not-found'

/** Returns every file of the site. Throws if a page is in no chapter or missing, or a link leads nowhere. */
export async function buildSite(
  sources: readonly SourcePage[],
  chapters: readonly Chapter[],
  snippets: string,
): Promise<SiteFile[]> {
  const [highlight, assets] = await Promise.all([loadHighlighter(), siteAssets()])
  const pages = new Map(
    sources.map(({ path, markdown, isGenerated }) => [
      path,
      named(path, () => renderMarkdown(markdown, { highlight, snippets, allowCode: isGenerated })),
    ]),
  )
  checkChapters(chapters, pages)
  checkLinks(pages, [consolePath])
  const entries = searchEntries(pages)
  // The gateway puts its address into texts, so that this one's name must not promise that it never changes.
  const searchIndex = textFile('search.json', JSON.stringify(entries), 'text')
  const files = [...assets.files, searchIndex]
  const layout: Layout = {
    chapters,
    titles: new Map([[consolePath, 'Try the API'], ...[...pages].map(([path, { title }]) => [path, title] as const)]),
    assets: { ...assets.page, searchIndex: searchIndex.path },
  }
  return [
    ...files,
    ...[...pages].flatMap(([path, page]) => pageFiles(path, page, layout)),
    textFile(consolePath, tryPage(assets.console), 'console'),
    textFile('llms.txt', listOfPages(chapters, pages), 'text'),
  ]
}

function pageFiles(path: string, page: RenderedPage, layout: Layout): SiteFile[] {
  const body = { html: page.html }
  return [
    textFile(path, pageHtml({ ...page, path, body }, layout), 'page'),
    textFile(`${path || 'index'}.md`, page.markdown, 'text'),
  ]
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

function textFile(path: string, text: string, kind: DocsFile['kind']): SiteFile {
  const type = kind === 'text' ? (types[extname(path)] ?? '') : 'text/html; charset=utf-8'
  return { path, content: Buffer.from(text), type, kind }
}

/** Returns an asset whose name has a hash of its content, so that browsers may keep it. */
function hashedAsset(name: string, content: Buffer): SiteFile {
  const ending = extname(name)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  return assetFile(`${name.slice(0, -ending.length)}-${hash}${ending}`, content)
}

const assetFile = (name: string, content: Buffer): SiteFile => ({
  path: `assets/${name}`,
  content,
  type: types[extname(name)] ?? 'application/octet-stream',
  kind: 'asset',
})

const nameOf = ({ path }: SiteFile) => path.slice('assets/'.length)

async function siteAssets() {
  const bundled = await bundleAssets()
  const { resolve } = createRequire(import.meta.url)
  const copied = (name: string, path: string) => hashedAsset(name, readFileSync(resolve(path)))
  const own = (entry: string) => {
    const asset = bundled.get(entry)
    if (!asset) throw new Error(`The bundle has no ${entry}.`)
    return assetFile(asset.name, asset.content)
  }
  const files = {
    style: own('site.css'),
    script: own('site.js'),
    icon: copied('mark.svg', '@cobro/look/cobro-mark.svg'),
    start: own('console.js'),
    consoleStyle: own('console.css'),
    viewer: copied('viewer.js', 'swagger-ui-dist/swagger-ui-bundle.js'),
    viewerStyle: copied('viewer.css', 'swagger-ui-dist/swagger-ui.css'),
  }
  const { style, script, icon, start, consoleStyle, viewer, viewerStyle } = files
  return {
    files: Object.values(files),
    page: { style: nameOf(style), script: nameOf(script), icon: nameOf(icon) },
    console: {
      viewer: nameOf(viewer),
      viewerStyle: nameOf(viewerStyle),
      start: nameOf(start),
      style: nameOf(consoleStyle),
      icon: nameOf(icon),
    },
  }
}

function named<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new Error(`The page ${path || 'index'}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

function checkChapters(chapters: readonly Chapter[], pages: ReadonlyMap<string, RenderedPage>): void {
  const listed = new Set(chapters.flatMap(chapter => chapter.pages))
  const unlisted = [...pages.keys()].filter(path => !listed.has(path) && path !== notFoundPath)
  const missing = [...listed].filter(path => !pages.has(path) && path !== consolePath)
  if (unlisted.length > 0) throw new Error(`In no chapter: ${unlisted.join(', ')}`)
  if (missing.length > 0) throw new Error(`In a chapter, but not written: ${missing.join(', ')}`)
}

function searchEntries(pages: ReadonlyMap<string, RenderedPage>): SearchEntry[] {
  const findable = [...pages].filter(([path]) => path !== notFoundPath)
  return findable.flatMap(([path, { title, sections }]) =>
    sections.map(({ id, heading, text }) => ({
      url: id === '' ? addressOf(path) : `${addressOf(path)}#${id}`,
      ...{ page: title, heading, text: text.trim() },
    })),
  )
}

/** Lists the pages for programs that read documentation. */
function listOfPages(chapters: readonly Chapter[], pages: ReadonlyMap<string, RenderedPage>): string {
  const parts = chapters.map(({ name, pages: paths }) => {
    const lines = paths.flatMap(path => {
      const page = pages.get(path)
      return page ? [`- [${page.title}](/docs/${path || 'index'}.md): ${page.description}`] : []
    })
    return `## ${name}\n\n${lines.join('\n')}`
  })
  return `# Cobro\n\n> A payments service that you run yourself.\n\n${parts.join('\n\n')}\n`
}
