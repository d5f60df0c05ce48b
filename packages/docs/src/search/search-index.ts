import MiniSearch from 'minisearch'

/** A part of a page that the search can find. */
export interface SearchEntry {
  url: string
  /** The title of the page. */
  page: string
  heading: string
  text: string
}

type SearchIndex = MiniSearch<SearchEntry & { id: number }>

const most = 8

/** Returns an index in memory. */
export function searchIndexOf(entries: readonly SearchEntry[]): SearchIndex {
  const index: SearchIndex = new MiniSearch({
    fields: ['page', 'heading', 'text'],
    storeFields: ['url', 'page', 'heading', 'text'],
    // Names such as payment_link.paid are found by their parts too.
    tokenize: text => text.split(/[\s\p{P}\p{Z}|`=<>+$]+/u).filter(Boolean),
    processTerm: term => stemOf(term.toLowerCase()),
    searchOptions: {
      boost: { page: 4, heading: 3 },
      prefix: term => term.length > 2,
      // Two letters that changed places count as two mistakes.
      fuzzy: term => (term.length > 5 ? 0.3 : false),
      boostDocument: (_id, _term, fields) => weightOf(String(fields?.url)),
    },
  })
  index.addAll(entries.map((entry, id) => ({ ...entry, id })))
  return index
}

/** Guides answer most questions. The changelog mentions everything. */
function weightOf(url: string): number {
  if (url.startsWith('/docs/reference/changelog')) return 0.3
  return url.startsWith('/docs/api/') ? 0.8 : 1
}

/** Cuts endings, so that "refunds" and "refund", "reconcile" and "reconciliation" are the same word. */
function stemOf(term: string): string {
  const singular = term.length > 3 ? term.replace(/(?<=[^s])s$/, '') : term
  return singular.replace(/(?<=.{4})(iation|ation|ion|ing|ed|e)$/, '')
}

/** Returns the best part of each page, the best pages first: those that have most of the words, anywhere on the page. */
export function findPages(index: SearchIndex, query: string): SearchEntry[] {
  const pages = Map.groupBy(index.search(query), ({ page }) => String(page))
  const ranked = [...pages.values()].map(results => {
    const words = new Set(results.flatMap(({ queryTerms }) => queryTerms))
    const [best] = results
    return { best, score: (best?.score ?? 0) * words.size ** 2 }
  })
  return ranked
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .flatMap(({ best }) => (best ? [{ url: best.url, page: best.page, heading: best.heading, text: best.text }] : []))
}
