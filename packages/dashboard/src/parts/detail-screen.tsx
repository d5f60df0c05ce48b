import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useLiveEvents } from '../api/live-events.ts'
import { useMe } from '../api/use-me.ts'
import { useCopyShortcut } from '../keys/use-row-shortcuts.ts'
import { Loaded } from './loaded.tsx'
import { NoPermission } from './states.tsx'
import { useTitle } from './use-title.ts'

type ListPath = `/$scope/${'payments' | 'links' | 'sessions' | 'deliveries' | 'requests' | 'branches'}`

interface DetailScreenProps<Row> {
  /** The name of such an object in the cache. */
  name: string
  /** The operation that a user has to be allowed to see it. */
  needs: string
  /** Where all of them are. */
  list: { to: ListPath; title: string }
  read: (id: string, signal: AbortSignal) => Promise<Row>
  /** How often an object that still changes is read again; false for one that does not. */
  refreshEveryMs: (row: Row) => number | false
  children: (row: Row) => ReactNode
}

/** The object that the address names. */
export function DetailScreen<Row>({ name, needs, list, read, refreshEveryMs, children }: DetailScreenProps<Row>) {
  const { id = '' } = useParams({ strict: false })
  useTitle(id)
  useCopyShortcut(() => id)
  const { scope, me, may } = useMe()
  const { filters = {} } = useLocation().state
  const query = useQuery<Row>({
    queryKey: [scope, name, id],
    queryFn: ({ signal }) => read(id, signal),
    enabled: may(needs),
    refetchInterval: ({ state }) => (state.data === undefined ? false : refreshEveryMs(state.data)),
  })
  const lifecycle = lifecycleOf(query.data)
  useLiveEvents(scope, ({ correlationId }) => {
    if (lifecycle !== undefined && correlationId === lifecycle) void query.refetch()
  })
  if (me && !may(needs)) return <NoPermission operation={needs} />
  return (
    <>
      <Link to={list.to} params={{ scope }} search={filters}>
        {list.title}
      </Link>
      <Loaded query={query} rows={3}>
        {children}
      </Loaded>
    </>
  )
}

/** Returns the lifecycle that an object belongs to, if it has one. */
function lifecycleOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'correlation_id' in row
    ? (row.correlation_id ?? undefined)
    : undefined
}
