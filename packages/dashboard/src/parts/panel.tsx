import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import styles from './detail.module.css'
import { Loaded } from './loaded.tsx'

interface PanelProps<Data> {
  title: string
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

/** A part of a screen that loads and fails by itself. What it has shown stays while it is loaded again. */
export function Panel<Data>({ title, query, children }: PanelProps<Data>) {
  return (
    <section className={styles.panel} aria-label={title} aria-busy={query.isFetching}>
      <h2>{title}</h2>
      <Loaded query={query} rows={4}>
        {children}
      </Loaded>
    </section>
  )
}
