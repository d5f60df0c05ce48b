import type { TestCard } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import detail from '../../parts/detail.module.css'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Panel } from '../../parts/panel.tsx'
import { NoPermission, NotFound } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { sandboxTexts } from '../../text/sandbox-texts.ts'
import { cardOutcome } from './card-outcome.ts'
import { VoucherForm } from './voucher-form.tsx'

/** What helps to test in the sandbox: cards whose outcome is known, and the payment of a voucher. */
export function SandboxScreen(): ReactNode {
  const texts = useTexts(sandboxTexts)
  useTitle(texts.title)
  const { scope, me, may } = useMe()
  if (!me) return <Loading />
  if (me.environment !== 'sandbox') return <NotFound />
  if (!may('listTestCards')) return <NoPermission operation="listTestCards" />
  return (
    <>
      <h1>{texts.title}</h1>
      <p>{texts.text}</p>
      <div className={detail.columns}>
        <TestCards scope={scope} />
        {may('paySandboxVoucher') && (
          <section className={detail.panel} aria-label={texts.voucher}>
            <h2>{texts.voucher}</h2>
            <p>{texts.voucherHint}</p>
            <VoucherForm scope={scope} />
          </section>
        )}
      </div>
    </>
  )
}

function TestCards({ scope }: { scope: string }) {
  const texts = useTexts(sandboxTexts)
  const columns = useCardColumns()
  const cards = useQuery({
    queryKey: [scope, 'test cards'],
    queryFn: ({ signal }) => cobroOf(scope).sandbox.testCards({ signal }),
    // They are those of the release.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Panel title={texts.cards} query={cards}>
      {data => (
        <>
          <p>{texts.cardsHint}</p>
          <ListTable rows={data.map(card => ({ ...card, id: card.number }))} columns={columns} />
        </>
      )}
    </Panel>
  )
}

function useCardColumns(): Column<TestCard & { id: string }>[] {
  const texts = useTexts(sandboxTexts)
  const { reasons } = useTexts(paymentTexts)
  return [
    { title: texts.number, cell: ({ number }) => <code>{number}</code> },
    { title: '', cell: ({ number }) => <CopyButton text={number} /> },
    { title: texts.outcome, isText: true, cell: card => cardOutcome(card, texts, reasons) },
    { title: texts.brand, cell: ({ brand }) => brand },
  ]
}
