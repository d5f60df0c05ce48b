/** Each kind of page, and where its JSON is read. */
const roots = { checkout: '/hosted/v1/checkout', links: '/hosted/v1/links' } as const

/** The address of the JSON behind a page's path, such as `/checkout/cs_…`. Undefined for a path that is no page. */
export function apiAddress(pagePath: string): string | undefined {
  const [, kind, id] = /^\/([a-z]+)\/([\w-]+)\/?$/.exec(pagePath) ?? []
  if (!kind || !id || !Object.hasOwn(roots, kind)) return undefined
  return `${roots[kind as keyof typeof roots]}/${id}`
}

/** An address that a browser may be sent to: a merchant's text must never run as script. */
export function webAddress(text: string | null | undefined): string | undefined {
  return text && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
}
