import type { CheckoutSession } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { created, useAmountColumn, useDateColumn, useMerchantColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTexts } from '../../text/locale.tsx'
import { sessionsTexts } from '../../text/sessions-texts.ts'

/** The checkout sessions of the scope. */
export function SessionsScreen(): ReactNode {
  const texts = useTexts(sessionsTexts)
  const { scope } = useMe()
  return (
    <ListScreen
      name="sessions"
      events="checkout_session."
      texts={texts}
      choices={[
        { name: 'status', label: texts.status, words: texts.statuses },
        { name: 'reached', label: texts.reached, words: texts.steps },
      ]}
      columns={useSessionColumns()}
      read={(params, signal) => cobroOf(scope).checkout.sessions.list(params, { signal })}
    />
  )
}

function useSessionColumns(): Column<CheckoutSession>[] {
  const texts = useTexts(sessionsTexts)
  return [
    useDateColumn('/$scope/sessions/$id', created),
    useAmountColumn(texts.amount, ({ amount_total, currency }) => ({ cents: amount_total, currency })),
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.order, cell: ({ external_id }) => external_id },
    { title: texts.customer, cell: ({ customer }) => customer?.email },
    ...useMerchantColumn<CheckoutSession>(),
  ]
}
