import type { Me } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { cobroOf } from './cobro.ts'

const staleMs = 60_000

/** Returns the scope of the address, and who calls in it once that is known. */
export function useMe(): {
  scope: string
  me: Me | undefined
  may: (operationId: string) => boolean
  timeZone: string
} {
  const { scope = 'all' } = useParams({ strict: false })
  const { data: me } = useQuery({
    queryKey: [scope, 'me'],
    queryFn: ({ signal }) => cobroOf(scope).me({ signal }),
    staleTime: staleMs,
  })
  const may = (operationId: string) => me?.permissions.includes(operationId) ?? false
  return { scope, me, may, timeZone: me?.merchant?.timezone ?? 'UTC' }
}
