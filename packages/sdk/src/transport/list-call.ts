import { type Call, callOf, ignore } from './call.ts'
import type { ListOptions } from './options.ts'
import type { Answer } from './send.ts'

/** The response of a list. */
interface ListBody {
  data: readonly unknown[]
  limit: number
  offset: number
}

/** A page of a list, with what the response says about it. */
export type Page<Body extends { data: readonly unknown[] }> = Body & {
  /** Whether there is a next page. */
  hasNext: boolean
  /** Fetches the next page. Resolves with undefined on the last one. */
  next(): Promise<Page<Body> | undefined>
}

/** The call of a list: resolves with its first page, and iterates over the rows of all pages. */
export interface ListCall<Body extends { data: readonly unknown[] }>
  extends Call<Page<Body>>,
    AsyncIterable<Body['data'][number]> {
  /** Resolves with the rows of all pages, at most `maxItems`. */
  toArray(bound: { maxItems: number }): Promise<Body['data'][number][]>
}

type AnyPage = Page<ListBody>
type FetchPage = (query: URLSearchParams) => Promise<Answer<unknown>>

/** Fetches the first page of a list. */
export function listCallOf(
  fetchPage: FetchPage,
  query: URLSearchParams,
  { maxItems }: ListOptions,
): ListCall<ListBody> {
  const first = pageOf(fetchPage, query)
  const call = callOf(first)
  const rows = (bound?: number) => {
    call.catch(ignore)
    return rowsOf(
      first.then(({ data }) => data),
      bound,
    )
  }
  return Object.assign(call, {
    [Symbol.asyncIterator]: () => rows(maxItems),
    async toArray(bound: { maxItems: number }) {
      const all: unknown[] = []
      for await (const row of rows(bound.maxItems)) all.push(row)
      return all
    },
  })
}

async function pageOf(fetchPage: FetchPage, query: URLSearchParams): Promise<Answer<AnyPage>> {
  const answer = await fetchPage(query)
  // The description of the API says so.
  const body = answer.data as ListBody
  const following = queryOfNext(body, answer.response, query)
  const page = {
    ...body,
    hasNext: following !== undefined,
    next: async () => (following ? (await pageOf(fetchPage, following)).data : undefined),
  }
  return { ...answer, data: page }
}

/** Returns the query of the next page: that of the link, or the next rows of a list that is sorted otherwise. */
function queryOfNext(
  { data, limit, offset }: ListBody,
  response: Response,
  query: URLSearchParams,
): URLSearchParams | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  if (link !== undefined) return new URLSearchParams(link.slice(link.indexOf('?') + 1))
  if (!['order', 'offset', 'page'].some(name => query.has(name)) || data.length < limit) return undefined
  const following = new URLSearchParams(query)
  following.delete('page')
  following.set('offset', String(offset + data.length))
  return following
}

async function* rowsOf(first: Promise<AnyPage>, maxItems = Number.POSITIVE_INFINITY): AsyncGenerator<unknown> {
  let left = maxItems
  for (let page: AnyPage | undefined = await first; page && left > 0; page = await page.next()) {
    for (const row of page.data) {
      if (left-- <= 0) return
      yield row
    }
    // The next page is not fetched in vain.
    if (left <= 0) return
  }
}
