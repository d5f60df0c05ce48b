import { useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { useFailed, useIsFirstRead } from '../../parts/loaded.tsx'
import type { RepeatProps } from '../../parts/repeat.tsx'
import { refreshEveryMs } from './use-report.ts'

type Api = ReturnType<typeof cobroOf>
interface Listed<Row> {
  data: Row[]
  count: number | null
}

/** The first rows of a list that someone has to do something about, and how many there are. */
interface Attended<Row> {
  rows: readonly Row[]
  count: number
  isFirstRead: boolean
  /** Why it could not be read, or not again. */
  failed: RepeatProps | undefined
}

/** Reads a list again and again, if the user may. */
export function useAttention<Row>(
  operation: string,
  read: (api: Api, options: { signal: AbortSignal }) => PromiseLike<Listed<Row>>,
  /** How many rows are read. Until more of them are, the fewer stay. */
  limit = 1,
): Attended<Row> {
  const { scope, may } = useMe()
  const query = useQuery({
    queryKey: [scope, 'attention', operation, limit],
    queryFn: async ({ signal }) => {
      const { data, count } = await read(cobroOf(scope), { signal })
      return { rows: data, count: count ?? data.length }
    },
    enabled: may(operation),
    refetchInterval: refreshEveryMs,
    placeholderData: (rows, before) => (before?.queryKey[0] === scope ? rows : undefined),
  })
  return { ...(query.data ?? { rows: [], count: 0 }), isFirstRead: useIsFirstRead(query), failed: useFailed(query) }
}
