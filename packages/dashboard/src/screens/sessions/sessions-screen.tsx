import { formatAmount } from '@cobro/look/formats'
import type { CheckoutSession } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { listTexts } from '../../text/list-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { sessionsTexts } from '../../text/sessions-texts.ts'

/** The checkout sessions of the scope. */
export function SessionsScreen(): ReactNode {
  const texts = useTexts(sessionsTexts)
  const { scope } = useMe()
  return (
    <ListScreen
      name="sessions"
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }]}
      columns={useSessionColumns()}
      read={(params, signal) => cobroOf(scope).checkout.sessions.list(params, { signal })}
    />
  )
}

function useSessionColumns(): Column<CheckoutSession>[] {
  const texts = useTexts(sessionsTexts)
  const shared = useTexts(listTexts)
  const { locale } = useLocale()
  const { scope, timeZone } = useMe()
  return [
    {
      title: shared.date(timeZone),
      cell: ({ id, created_at }) => (
        <Link className={styles.row} to="/$scope/sessions/$id" params={{ scope, id }}>
          <Moment at={created_at} timeZone={timeZone} />
        </Link>
      ),
    },
    {
      title: texts.amount,
      isNumber: true,
      cell: ({ amount_total, currency }) => formatAmount(amount_total, currency, locale),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.order, cell: ({ external_id }) => external_id },
    { title: texts.customer, cell: ({ customer }) => customer?.email },
  ]
}
