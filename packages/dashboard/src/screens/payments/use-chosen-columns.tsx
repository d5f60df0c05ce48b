import { formatAmount } from '@cobro/look/formats'
import type { Transaction } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { useMe } from '../../api/use-me.ts'
import { type NamedColumn, useColumnChoice } from '../../parts/column-choice.tsx'
import { Moment } from '../../parts/moment.tsx'
import { RefundStatus } from '../../parts/refund-status.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { declineTexts } from '../../text/decline-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { usePaymentColumns } from './payment-columns.tsx'

/** Returns the columns of payments that the address chooses, and the button that chooses others. */
export function useChosenColumns() {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const { amount, method, reference, merchant } = usePaymentColumns()
  const usual: NamedColumn<Transaction>[] = [
    { name: 'amount_cents', ...amount },
    {
      name: 'status',
      title: texts.status,
      cell: ({ status }) => <StatusBadge status={status} word={words.payment[status]} />,
    },
    { name: 'payment_method', ...method },
    { name: 'reference', ...reference },
    { name: 'payer_email', title: texts.payer, cell: ({ payer_email }) => payer_email },
    ...merchant.map(column => ({ name: 'merchant_id', ...column })),
  ]
  return useColumnChoice(
    [...usual, ...useOtherColumns()],
    usual.map(({ name }) => name),
  )
}

/** The columns that few need, by the names of the API. */
function useOtherColumns(): NamedColumn<Transaction>[] {
  const texts = useTexts(paymentsTexts)
  const { names } = useTexts(paymentTexts)
  const reasons = useTexts(declineTexts)
  const { locale } = useLocale()
  const { timeZone } = useMe()
  const moment = (at: string | null): ReactNode => at && <Moment at={at} timeZone={timeZone} />
  const code = (id: string | null): ReactNode => id && <code>{id}</code>
  return [
    { name: 'order_id', title: names.order, cell: ({ order_id }) => order_id },
    { name: 'customer_ref', title: names.customer, cell: ({ customer_ref }) => customer_ref },
    {
      name: 'decline_reason',
      title: texts.reason,
      cell: ({ decline_reason }) => decline_reason && reasons[decline_reason],
    },
    {
      name: 'refund_status',
      title: texts.refund,
      cell: payment => <RefundStatus payment={payment} />,
    },
    { name: 'captured_at', title: texts.times.captured_at, cell: ({ captured_at }) => moment(captured_at) },
    { name: 'refunded_at', title: texts.times.refunded_at, cell: ({ refunded_at }) => moment(refunded_at) },
    { name: 'currency', title: texts.currency, cell: ({ currency }) => currency },
    {
      name: 'fee_cents',
      title: names.fee,
      isNumber: true,
      cell: ({ fee_cents, currency }) => formatAmount(fee_cents, currency, locale),
    },
    { name: 'risk_score', title: texts.risk, isNumber: true, cell: ({ risk_score }) => risk_score },
    { name: 'terminal_id', title: texts.terminal, cell: ({ terminal_id }) => code(terminal_id) },
    { name: 'payment_link_id', title: texts.link, cell: ({ payment_link_id }) => code(payment_link_id) },
    { name: 'id', title: names.id, cell: ({ id }) => code(id) },
  ]
}
