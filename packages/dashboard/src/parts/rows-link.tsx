import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Search } from '../address/search.ts'
import { useMe } from '../api/use-me.ts'

/** A list, with the filters of the rows behind a number. */
export interface Rows {
  to: '/$scope/payments' | '/$scope/deliveries' | '/$scope/sessions' | '/$scope/links' | '/$scope/webhooks'
  search: Search
}

interface RowsLinkProps extends Rows {
  children: ReactNode
}

/** A number that leads to the rows behind it. */
export function RowsLink({ to, search, children }: RowsLinkProps) {
  const { scope } = useMe()
  return (
    <Link to={to} params={{ scope }} search={search}>
      {children}
    </Link>
  )
}
