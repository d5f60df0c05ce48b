import { useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'

/** Reads the branches of the scope, to name and to choose them. */
export function useBranches(scope: string) {
  const { data } = useQuery({
    queryKey: [scope, 'branches', 'all'],
    queryFn: ({ signal }) =>
      cobroOf(scope).sucursales.list({ order: 'name', dir: 'asc', limit: 200, count: 'none' }, { signal }),
  })
  return data?.data
}
