import type { RenderedPage } from '../markdown/render-markdown.ts'

/** Throws if a link of a page leads to a page or heading that does not exist. Links to other hosts are not followed. */
export function checkLinks(pages: ReadonlyMap<string, RenderedPage>, others: readonly string[]): void {
  const dead = [...pages].flatMap(([path, { links }]) =>
    links.filter(link => !leadsSomewhere(link, path, pages, others)).map(link => `${path || 'index'}: ${link}`),
  )
  if (dead.length > 0) throw new Error(`These links lead nowhere:\n${dead.join('\n')}`)
}

/** What the gateway serves beside the pages. */
const served = [
  '/openapi.json',
  '/dashboard',
  '/docs/downloads/cobro-sdk.tgz',
  '/docs/downloads/cobro-cli.tgz',
  '/docs/llms.txt',
  '/docs/scenario.schema.json',
]

function leadsSomewhere(
  link: string,
  from: string,
  pages: ReadonlyMap<string, RenderedPage>,
  others: readonly string[],
): boolean {
  if (/^https:\/\//.test(link) || served.includes(link)) return true
  const [address = '', heading] = link.split('#')
  if (address !== '' && !/^\/docs(\/[^/].*)?$/.test(address)) return false
  const path = address === '' ? from : address.replace(/^\/docs\/?/, '')
  const page = pages.get(path)
  if (heading === undefined) return page !== undefined || others.includes(path)
  return page?.headings.some(({ id }) => id === heading) ?? false
}
