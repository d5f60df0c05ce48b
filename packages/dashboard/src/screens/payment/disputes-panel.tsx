import { formatAmount } from '@cobro/look/formats'
import type { Dispute, TransactionDetails } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { Facts } from '../../parts/facts.tsx'
import { useIsFirstRead } from '../../parts/loaded.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentPanelsTexts } from '../../text/payment-panels-texts.ts'

interface DisputesPanelProps {
  payment: TransactionDetails
  scope: string
}

/** The disputes of a payment; nothing where there are none. */
export function DisputesPanel({ payment: { id, status }, scope }: DisputesPanelProps) {
  const texts = useTexts(paymentPanelsTexts)
  const disputes = useQuery({
    // Read again when the payment becomes a chargeback, or is no longer one.
    queryKey: [scope, 'disputes', 'of', id, status],
    queryFn: ({ signal }) => cobroOf(scope).disputes.list({ transaction_id: id, count: 'none' }, { signal }),
    placeholderData: (disputes, before) => (before?.queryKey[3] === id ? disputes : undefined),
  })
  const isFirstRead = useIsFirstRead(disputes)
  // Without rows: most payments have none.
  if (isFirstRead) return <Loading rows={0} />
  if (disputes.data?.data.length === 0) return null
  return (
    <Panel title={texts.disputes} query={disputes}>
      {({ data }) => data.map(dispute => <DisputeFacts key={dispute.id} dispute={dispute} />)}
    </Panel>
  )
}

function DisputeFacts({ dispute }: { dispute: Dispute }) {
  const texts = useTexts(paymentPanelsTexts)
  const { locale } = useLocale()
  const { timeZone } = useMe()
  const { id, status, amount_cents, currency, reason, due_by, resolved_at } = dispute
  return (
    <>
      <p>
        {formatAmount(amount_cents, currency, locale)}{' '}
        <StatusBadge status={status} word={texts.disputeStatuses[status]} />
      </p>
      <Facts
        facts={[
          [texts.reason, reason],
          [texts.dueBy, status === 'open' && due_by && <Moment at={due_by} timeZone={timeZone} />],
          [texts.resolved, resolved_at && <Moment at={resolved_at} timeZone={timeZone} />],
          ['Id', <code key="id">{id}</code>],
        ]}
      />
    </>
  )
}
