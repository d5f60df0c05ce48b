import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadHighlighter } from '../markdown/highlight.ts'
import { type RenderedPage, renderMarkdown } from '../markdown/render-markdown.ts'
import type { SearchEntry } from '../search/search-index.ts'
import { bundleAssets } from './bundle-assets.ts'
import { addressOf, type Chapter } from './chapters.ts'
import { checkLinks } from './check-links.ts'
import { type Layout, pageHtml } from './page-layout.ts'
import { screenPictures } from './screen-pictures.ts'
import { assetFile, hashedAsset, type SiteFile, textFile } from './site-file.ts'
import { tryPage } from './try-page.ts'

/** A page in Markdown. */
export interface SourcePage {
  /** Its address below `/docs`; empty for the first page. */
  path: string
  markdown: string
  /** Whether it is written from declarations, and may have code that no test runs. */
  isGenerated: boolean
}

/** The page with the console, which is no page in Markdown. */
const consolePath = 'api/try'
/** The page for addresses without one, which no chapter lists. */
const notFoundPath = 'not-found'

/** The folders of what pages include. */
interface Included {
  snippets: string
  screens: string
}

/** Returns every file of the site. Throws if a page is in no chapter or missing, or a link leads nowhere. */
export async function buildSite(
  sources: readonly SourcePage[],
  chapters: readonly Chapter[],
  { snippets, screens }: Included,
): Promise<SiteFile[]> {
  const pictures = screenPictures(screens)
  const [highlight, assets] = await Promise.all([loadHighlighter(), siteAssets()])
  const pages = new Map(
    sources.map(({ path, markdown, isGenerated }) => [
      path,
      named(path, () =>
        renderMarkdown(markdown, { highlight, snippets, picture: pictures.find, allowCode: isGenerated }),
      ),
    ]),
  )
  checkChapters(chapters, pages)
  checkLinks(pages, [consolePath])
  const entries = searchEntries(pages)
  // The gateway puts its address into texts, so that this one's name must not promise that it never changes.
  const searchIndex = textFile('search.json', JSON.stringify(entries), 'text')
  const files = [...assets.files, ...pictures.files(), searchIndex]
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
