import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Loading } from './loading.tsx'
import type { RepeatProps } from './repeat.tsx'
import { Failed, NotCurrent } from './states.tsx'

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  /** How many rows it has about. */
  rows?: number
  /** Removes filters, which may be what the API refuses. */
  clear?: (() => void) | undefined
  children: (data: Data) => ReactNode
}

/** What a query has read. Before that, that it loads or why it failed; what was read before stays if it cannot be read again. */
export function Loaded<Data>({ query, rows, clear, children }: LoadedProps<Data>) {
  const { data, dataUpdatedAt } = query
  const failed = useFailed(query)
  if (data === undefined) return failed ? <Failed {...failed} clear={clear} /> : <Loading rows={rows} />
  return (
    <>
      {failed && <NotCurrent {...failed} at={dataUpdatedAt} />}
      {children(data)}
    </>
  )
}

/** Returns whether a query is read for the first time. One that failed is not, also while it is repeated. */
export function useIsFirstRead(query: UseQueryResult): boolean {
  const failed = useFailed(query)
  return query.isLoading && !failed
}

/** Returns why a query has failed, and how often since it last succeeded, also while it is repeated; undefined if it has not. */
export function useFailed(query: UseQueryResult): RepeatProps | undefined {
  const { data, error, dataUpdatedAt, errorUpdateCount } = query
  const [last, setLast] = useState<{ error: unknown; failures: number }>({ error: null, failures: 0 })
  // Each success begins another count.
  useEffect(() => setLast({ error: null, failures: 0 }), [dataUpdatedAt])
  useEffect(() => {
    if (error) setLast(({ failures }) => ({ error, failures: failures + 1 }))
  }, [error])
  // While it is repeated without data, a query has no error.
  const shown = error ?? (data === undefined && errorUpdateCount > 0 ? last.error : null)
  return shown ? { error: shown, failures: last.failures, retry: () => void query.refetch() } : undefined
}
