/** The part of an address after `?`, as names and texts: every filter of a list is one. */
export type Search = Record<string, string>

/** Reads the search of an address. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

/** Writes a search, without empty texts and with commas as they are, so that people can read and change it. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) if (value) parameters.set(name, String(value))
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text && `?${text}`
}
