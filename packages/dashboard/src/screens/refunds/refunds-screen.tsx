import type { Transaction } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { useDateColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import { RefundStatus } from '../../parts/refund-status.tsx'
import { useTexts } from '../../text/locale.tsx'
import { refundsTexts } from '../../text/refunds-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { usePaymentColumns } from '../payments/payment-columns.tsx'
import { lookUp } from '../payments/payment-lookup.ts'

const requested = ({ id, refund_requested_at, created_at }: Transaction) => ({
  id,
  at: refund_requested_at ?? created_at,
})

/** The payments of the scope with a refund, the newest request first. */
export function RefundsScreen(): ReactNode {
  const texts = useTexts(refundsTexts)
  const words = useTexts(statusTexts)
  const { scope } = useMe()
  const { amount, method, reference, merchant } = usePaymentColumns()
  return (
    <ListScreen
      name="refunds"
      texts={texts}
      choices={[{ name: 'refund_status', label: texts.status, words: words.refund }]}
      columns={[
        useDateColumn('/$scope/payments/$id', requested, texts.requested),
        amount,
        { title: texts.status, cell: payment => <RefundStatus payment={payment} /> },
        method,
        reference,
        ...merchant,
      ]}
      read={(params, signal) =>
        cobroOf(scope).transactions.list({ ...lookUp(params), time: 'refund_requested_at' }, { signal })
      }
    />
  )
}
