import { type Html, html } from '../markdown/html.ts'
import type { Heading } from '../markdown/render-markdown.ts'
import { addressOf, type Chapter } from './chapters.ts'

/** The names of the files that every page loads. */
interface PageAssets {
  style: string
  script: string
  icon: string
  searchIndex: string
}

/** What is around the text of every page. */
export interface Layout {
  assets: PageAssets
  chapters: readonly Chapter[]
  /** The titles of the pages by their addresses. */
  titles: ReadonlyMap<string, string>
}

export interface Page {
  path: string
  title: string
  description: string
  body: Html
  headings: readonly Heading[]
}

/** Returns the whole HTML of a page. */
export function pageHtml(page: Page, layout: Layout): string {
  const { path, title, description, body, headings } = page
  const { style, script, icon } = layout.assets
  const contents = headings.filter(({ level }) => level === 2)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${path === '' ? 'Cobro documentation' : `${title} – Cobro documentation`}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="/docs/assets/${icon}">
<link rel="stylesheet" href="/docs/assets/${style}">
<script src="/docs/assets/${script}" defer></script>
</head>
<body data-search-index="/docs/${layout.assets.searchIndex}">
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="home" href="/docs"><img src="/docs/assets/${icon}" alt="" width="28" height="28"><span>Cobro <b>docs</b></span></a>
<div class="search" role="search" hidden>
<input type="search" placeholder="Search (Ctrl K)" aria-label="Search the documentation" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Pages found" hidden></ul>
</div>
<p class="visually-hidden" role="status"></p>
</header>
<div class="columns">
<details class="menu"><summary>All pages</summary>${navigation(layout, path, 'Pages of the documentation, as a menu')}</details>
<div class="sidebar">${navigation(layout, path, 'Pages of the documentation')}</div>
<main id="main">
<article>
${body}
</article>
${neighbours(layout, path)}
</main>
${contents.length > 1 && tableOfContents(contents)}
</div>
</body>
</html>
`.html
}

function navigation({ chapters, titles }: Layout, current: string, label: string): Html {
  const links = (pages: readonly string[]) =>
    pages.map(page => {
      const mark = page === current ? html` aria-current="page"` : undefined
      return html`<li><a href="${addressOf(page)}"${mark}>${titles.get(page)}</a></li>`
    })
  const parts = chapters.map(({ name, pages }) => html`<h2>${name}</h2><ul>${links(pages)}</ul>`)
  return html`<nav aria-label="${label}">${parts}</nav>`
}

function tableOfContents(headings: readonly Heading[]): Html {
  const links = headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  return html`<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links}</ul></nav>`
}

/** The pages before and after it, and its Markdown. */
function neighbours({ chapters, titles }: Layout, current: string): Html {
  const all = chapters.flatMap(({ pages }) => pages)
  const at = all.indexOf(current)
  if (at < 0) return html``
  const link = (page: string | undefined, label: string, kind: string) =>
    page !== undefined &&
    html`<a class="${kind}" href="${addressOf(page)}"><small>${label}</small>${titles.get(page)}</a>`
  const markdown = current === '' ? '/docs/index.md' : `/docs/${current}.md`
  return html`<footer>
<div class="neighbours">${link(all[at - 1], 'Before', 'before')}${link(all[at + 1], 'Next', 'after')}</div>
<p><a href="${markdown}">This page as Markdown</a></p>
</footer>`
}
