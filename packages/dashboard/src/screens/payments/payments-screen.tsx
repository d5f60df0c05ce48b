import { formatAmount } from '@cobro/look/formats'
import type { Transaction } from '@cobro/sdk/admin'
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
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { lookUp } from './payment-lookup.ts'

/** The payments of the scope. */
export function PaymentsScreen(): ReactNode {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const { scope } = useMe()
  return (
    <ListScreen
      name="payments"
      texts={texts}
      choices={[
        { name: 'status', label: texts.status, words: words.payment },
        { name: 'refund_status', label: texts.refund, words: words.refund },
        { name: 'payment_method', label: texts.method, words: words.method },
      ]}
      columns={usePaymentColumns()}
      read={(params, signal) => cobroOf(scope).transactions.list(lookUp(params), { signal })}
    />
  )
}

function usePaymentColumns(): Column<Transaction>[] {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const shared = useTexts(listTexts)
  const { locale } = useLocale()
  const { scope, timeZone } = useMe()
  return [
    {
      title: shared.date(timeZone),
      cell: ({ id, created_at }) => (
        <Link className={styles.row} to="/$scope/payments/$id" params={{ scope, id }}>
          <Moment at={created_at} timeZone={timeZone} />
        </Link>
      ),
    },
    {
      title: texts.amount,
      isNumber: true,
      cell: ({ amount_cents, currency }) => formatAmount(amount_cents, currency, locale),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={words.payment[status]} /> },
    {
      title: texts.method,
      cell: ({ card, payment_method }) => (card ? `${card.brand} •••• ${card.last4}` : words.method[payment_method]),
    },
    { title: texts.reference, cell: ({ reference, order_id }) => reference ?? order_id },
    { title: texts.payer, cell: ({ payer_email }) => payer_email },
    ...(scope === 'all' ? [{ title: texts.merchant, cell: ({ merchant_id }: Transaction) => merchant_id }] : []),
  ]
}
