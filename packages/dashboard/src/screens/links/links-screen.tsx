import { formatAmount } from '@cobro/look/formats'
import type { PaymentLink } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import styles from '../../parts/list.module.css'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { listTexts } from '../../text/list-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { NewLinkButton } from './new-link-button.tsx'

/** The payment links of the scope. */
export function LinksScreen(): ReactNode {
  const texts = useTexts(linksTexts)
  const { scope, me, may } = useMe()
  const canCreate = may('createMerchantPaymentLink') && me?.merchant
  return (
    <ListScreen
      name="links"
      texts={texts}
      choices={[{ name: 'status', label: texts.status, words: texts.statuses }]}
      columns={useLinkColumns()}
      read={(params, signal) => cobroOf(scope).paymentLinks.list(params, { signal })}
      actions={canCreate && <NewLinkButton scope={scope} currency={canCreate.currency} />}
    />
  )
}

function useLinkColumns(): Column<PaymentLink>[] {
  const texts = useTexts(linksTexts)
  const shared = useTexts(listTexts)
  const { locale } = useLocale()
  const { scope, timeZone } = useMe()
  return [
    {
      title: shared.date(timeZone),
      cell: ({ id, created_at }) => (
        <Link className={styles.row} to="/$scope/links/$id" params={{ scope, id }}>
          <Moment at={created_at} timeZone={timeZone} />
        </Link>
      ),
    },
    {
      title: texts.amount,
      isNumber: true,
      cell: ({ amount_cents, currency }) => formatAmount(amount_cents, currency, locale),
    },
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.concept, cell: ({ concepto }) => concepto },
    { title: texts.reference, cell: ({ reference }) => reference },
    { title: texts.payer, cell: ({ payer_email }) => payer_email },
  ]
}
