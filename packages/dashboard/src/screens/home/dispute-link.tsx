import { formatMoment } from '@cobro/look/formats'
import type { Dispute } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useMe } from '../../api/use-me.ts'
import { homeTexts } from '../../text/home-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { useFormats } from './use-formats.ts'

/** A dispute that waits for an answer, which leads to its payment. */
export function DisputeLink({ dispute }: { dispute: Dispute }) {
  const { attention: texts } = useTexts(homeTexts)
  const { scope, timeZone } = useMe()
  const { locale } = useLocale()
  const formats = useFormats()
  const { transaction_id, amount_cents, currency, reason, due_by } = dispute
  return (
    <Link to="/$scope/payments/$id" params={{ scope, id: transaction_id }}>
      {texts.dispute(formats.amount(amount_cents, currency), reason, due_by && formatMoment(due_by, locale, timeZone))}
    </Link>
  )
}
