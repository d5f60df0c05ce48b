import { formatAmount, formatMoment } from '@cobro/look/formats'
import type { Transaction } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import styles from './payments.module.css'

interface PaymentsTableProps {
  payments: readonly Transaction[]
  scope: string
  timeZone: string
}

/** A page of payments. Each row has a link, so that it opens in a tab of its own too. */
export function PaymentsTable({ payments, scope, timeZone }: PaymentsTableProps) {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th>{texts.date(timeZone)}</th>
          <th className={styles.amount}>{texts.amount}</th>
          <th>{texts.state}</th>
          <th>{texts.method}</th>
          <th>{texts.reference}</th>
          <th>{texts.payer}</th>
        </tr>
      </thead>
      <tbody>
        {payments.map(payment => (
          <tr key={payment.id}>
            <td>
              <Link className={styles.row} to="/$scope/payments/$id" params={{ scope, id: payment.id }}>
                <time dateTime={payment.created_at} title={payment.created_at}>
                  {formatMoment(payment.created_at, locale, timeZone)}
                </time>
              </Link>
            </td>
            <td className={styles.amount}>{formatAmount(payment.amount_cents, payment.currency, locale)}</td>
            <td>
              <StatusBadge status={payment.status} word={words.payment[payment.status]} />
            </td>
            <td>{methodOf(payment, words.method)}</td>
            <td>{payment.reference ?? payment.order_id}</td>
            <td>{payment.payer_email}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function methodOf({ card, payment_method }: Transaction, words: Record<string, string>): string {
  return card ? `${card.brand} •••• ${card.last4}` : (words[payment_method] ?? payment_method)
}
