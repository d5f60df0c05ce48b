import type { Me } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { cobroOf } from './cobro.ts'

const staleMs = 60_000

interface Caller {
  scope: string
  me: Me | undefined
  may: (operationId: string) => boolean
  timeZone: string
  /** Why it is not known who calls. */
  error: unknown
  refetch: () => unknown
}

/** Returns the scope of the address, and who calls in it once that is known. */
export function useMe(): Caller {
  const { scope = 'all' } = useParams({ strict: false })
  const {
    data: me,
    error,
    refetch,
  } = useQuery({
    queryKey: [scope, 'me'],
    queryFn: ({ signal }) => cobroOf(scope).me({ signal }),
    staleTime: staleMs,
  })
  const may = (operationId: string) => me?.permissions.includes(operationId) ?? false
  return { scope, me, may, timeZone: me?.merchant?.timezone ?? 'UTC', error, refetch }
}
