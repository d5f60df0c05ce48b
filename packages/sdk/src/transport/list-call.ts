import { type Answer, type Call, callOf, ignore } from './call.ts'
import type { ListOptions } from './options.ts'

/** The response of a list. */
interface ListBody {
  data: readonly unknown[]
  count: number | null
  limit: number
  offset: number
  /** Where a log that is followed was read up to. */
  through?: number | null
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

/** Returns the call of a list whose first page is on its way. */
export function listCallOf(answer: Promise<Answer<unknown>>, { maxItems }: ListOptions): ListCall<ListBody> {
  const call = callOf(answer as Promise<Answer<AnyPage>>)
  const rows = (bound?: number) => {
    call.catch(ignore)
    return rowsOf(call, bound)
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

/** Returns the answer of a list as a page that knows the next one. */
export function pageOf(answer: Answer<unknown>, query: URLSearchParams, fetchPage: FetchPage): Answer<AnyPage> {
  // The description of the API says so.
  const body = answer.data as ListBody
  const following = queryOfNext(body, answer.response, query)
  const next = async () => (following ? ((await fetchPage(following)).data as AnyPage) : undefined)
  return { ...answer, data: { ...body, hasNext: following !== undefined, next } }
}

/**
 * Returns the query of the next page: that of the link, the rest of a log that is followed, or the next rows of a list that
 * is sorted otherwise.
 */
function queryOfNext(
  { data, count, limit, offset, through }: ListBody,
  response: Response,
  query: URLSearchParams,
): URLSearchParams | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  if (link !== undefined) return new URLSearchParams(link.slice(link.indexOf('?') + 1))
  if (data.length < limit) return undefined
  const following = new URLSearchParams(query)
  if (query.has('after_seq') && typeof through === 'number') {
    following.set('after_seq', String(through))
    return following
  }
  const isLast = count !== null && offset + data.length >= count
  // A list in its usual order has a link to each next page.
  if (isLast || !query.has('order')) return undefined
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
