import type { Transaction } from '@cobro/sdk/admin'
import { useTexts } from '../text/locale.tsx'
import { refundsTexts } from '../text/refunds-texts.ts'
import { statusTexts } from '../text/status-texts.ts'
import { StatusBadge } from './status-badge.tsx'

type Refunded = Pick<Transaction, 'refund_status' | 'manual_refund'>

/** The state of a payment's refund; nothing where there is none. */
export function RefundStatus({ payment: { refund_status, manual_refund } }: { payment: Refunded }) {
  const texts = useTexts(refundsTexts)
  const words = useTexts(statusTexts)
  if (manual_refund) return <StatusBadge status="manual" word={texts.manual} />
  return refund_status && <StatusBadge status={refund_status} word={words.refund[refund_status]} />
}
