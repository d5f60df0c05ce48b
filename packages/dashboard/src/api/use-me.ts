import type { Me } from '@cobro/sdk/admin'
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { cobroOf } from './cobro.ts'
import { usePreferredZone } from './use-preferences.ts'

const staleMs = 60_000

interface Caller {
  scope: string
  me: Me | undefined
  may: (operationId: string) => boolean
  /** The time zone in which the user sees times. */
  timeZone: string
  /** How that was asked. */
  query: UseQueryResult<Me>
}

/** How one learns who calls in a scope. */
export const meQuery = (scope: string) =>
  queryOptions({
    queryKey: [scope, 'me'],
    queryFn: ({ signal }) => cobroOf(scope).me({ signal }),
    staleTime: staleMs,
  })

/** Returns the scope of the address, and who calls in it once that is known. */
export function useMe(): Caller {
  const { scope = 'all' } = useParams({ strict: false })
  const query = useQuery(meQuery(scope))
  const { data: me } = query
  const preferred = usePreferredZone()
  const may = (operationId: string) => me?.permissions.includes(operationId) ?? false
  return { scope, me, may, timeZone: preferred ?? me?.merchant?.timezone ?? 'UTC', query }
}
