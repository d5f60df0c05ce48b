import type { Operation } from '@cobro/contracts'

const midnight = (day: string) => new Date(`${day}T00:00:00Z`)

/** Returns the headers that announce the end of a deprecated operation (RFC 9745, RFC 8594); none for others. */
export function deprecationHeaders({ deprecated }: Pick<Operation, 'deprecated'>): Record<string, string> {
  if (!deprecated) return {}
  const { since, sunset } = deprecated
  return {
    Deprecation: `@${midnight(since).getTime() / 1_000}`,
    ...(sunset === undefined ? {} : { Sunset: midnight(sunset).toUTCString() }),
  }
}
