import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../api/use-me.ts'
import { Failed, Loading } from './states.tsx'
import { useTitle } from './use-title.ts'

interface DetailScreenProps<Row> {
  /** The name of such an object in the cache. */
  name: string
  /** Where all of them are. */
  list: { to: '/$scope/payments' | '/$scope/links' | '/$scope/sessions' | '/$scope/deliveries'; title: string }
  read: (id: string, signal: AbortSignal) => Promise<Row>
  /** How often an object that still changes is read again; false for one that does not. */
  refreshEveryMs: (row: Row) => number | false
  children: (row: Row) => ReactNode
}

/** The object that the address names. */
export function DetailScreen<Row>({ name, list, read, refreshEveryMs, children }: DetailScreenProps<Row>) {
  const { id = '' } = useParams({ strict: false })
  useTitle(id)
  const { scope } = useMe()
  const { data, error, refetch } = useQuery<Row>({
    queryKey: [scope, name, id],
    queryFn: ({ signal }) => read(id, signal),
    refetchInterval: ({ state }) => (state.data === undefined ? false : refreshEveryMs(state.data)),
  })
  return (
    <>
      <Link to={list.to} params={{ scope }} search={{}}>
        {list.title}
      </Link>
      {data !== undefined ? (
        children(data)
      ) : error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Loading rows={3} />
      )}
    </>
  )
}
