/** Each kind of page, and the address of its JSON. */
const roots = { checkout: '/hosted/v1/checkout', links: '/hosted/v1/links' } as const

/** Returns the address of the JSON behind a page's path (`/checkout/cs_…`), else undefined. */
export function apiAddress(pagePath: string): string | undefined {
  const [, kind, id] = /^\/([a-z]+)\/([\w-]+)\/?$/.exec(pagePath) ?? []
  if (!kind || !id || !Object.hasOwn(roots, kind)) return undefined
  return `${roots[kind as keyof typeof roots]}/${id}`
}

/** Returns an http(s) address to redirect to, else undefined: a merchant must not inject script. */
export function webAddress(text: string | null | undefined): string | undefined {
  return text && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined
}
