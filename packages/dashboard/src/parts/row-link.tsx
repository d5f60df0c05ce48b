import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DetailScreenPath } from '../address/destination.ts'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'
import styles from './list.module.css'

interface RowLinkProps {
  to: DetailScreenPath
  id: string
  children: ReactNode
}

/** The link of a row to its screen. It carries the filters of the list, so that the screen can lead back to the same rows. */
export function RowLink({ to, id, children }: RowLinkProps) {
  const { scope } = useMe()
  const filters = useSearch({ strict: false }) as Search
  return (
    <Link className={styles.row} to={to} params={{ scope, id }} state={{ filters }}>
      {children}
    </Link>
  )
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The filters of the list from which a screen was opened. */
    filters?: Search
  }
}
