import type { PaymentLink } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { created, useAmountColumn, useDateColumn, useMerchantColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { NewLinkButton } from './new-link-button.tsx'

/** The payment links of the scope. */
export function LinksScreen(): ReactNode {
  const texts = useTexts(linksTexts)
  const { scope, me, may } = useMe()
  const canCreate = may('createMerchantPaymentLink') && me?.merchant
  return (
    <ListScreen
      name="links"
      events="payment_link."
      texts={texts}
      choices={[
        { name: 'status', label: texts.status, words: texts.statuses },
        { name: 'reached', label: texts.reached, words: texts.steps },
      ]}
      columns={useLinkColumns()}
      read={(params, signal) => cobroOf(scope).paymentLinks.list(params, { signal })}
      actions={canCreate && <NewLinkButton scope={scope} currency={canCreate.currency} merchantName={canCreate.name} />}
    />
  )
}

function useLinkColumns(): Column<PaymentLink>[] {
  const texts = useTexts(linksTexts)
  return [
    useDateColumn('/$scope/links/$id', created),
    useAmountColumn(texts.amount, ({ amount_cents, currency }) => ({ cents: amount_cents, currency })),
    { title: texts.status, cell: ({ status }) => <StatusBadge status={status} word={texts.statuses[status]} /> },
    { title: texts.concept, cell: ({ concepto }) => concepto },
    { title: texts.reference, cell: ({ reference }) => reference },
    { title: texts.payer, cell: ({ payer_email }) => payer_email },
    ...useMerchantColumn<PaymentLink>(),
  ]
}
