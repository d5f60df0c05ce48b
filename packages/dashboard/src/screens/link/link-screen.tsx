import { formatAmount } from '@cobro/look/formats'
import type { PaymentLink } from '@cobro/sdk/admin'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import detail from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LifecyclePanel } from '../../parts/lifecycle-panel.tsx'
import { Moment } from '../../parts/moment.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { linksTexts } from '../../text/links-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { LinkActions } from './link-actions.tsx'

const openMs = 5_000

/** A payment link: what it asks for, its address to send, and what became of it. */
export function LinkScreen(): ReactNode {
  const { title } = useTexts(linksTexts)
  const { scope } = useMe()
  return (
    <DetailScreen
      name="link"
      needs="getMerchantPaymentLink"
      list={{ to: '/$scope/links', title }}
      read={(id, signal) => cobroOf(scope).paymentLinks.retrieve(id, { signal })}
      refreshEveryMs={({ status }) => (status === 'active' ? openMs : false)}
    >
      {link => <LinkDetail link={link} scope={scope} />}
    </DetailScreen>
  )
}

function LinkDetail({ link, scope }: { link: PaymentLink; scope: string }) {
  const texts = useTexts(linksTexts)
  const { locale } = useLocale()
  const { timeZone } = useMe()
  const { isCopied } = useLocation().state
  const { status, transaction_id } = link
  return (
    <>
      <header className={detail.head}>
        <h1 className={detail.amount}>{formatAmount(link.amount_cents, link.currency, locale)}</h1>
        <StatusBadge status={status} word={texts.statuses[status]} />
        <p className={detail.sentence}>{texts.sentences[status]}</p>
      </header>
      {transaction_id && (
        <Link to="/$scope/payments/$id" params={{ scope, id: transaction_id }}>
          {texts.openPayment}
        </Link>
      )}
      <LinkActions link={link} scope={scope} />
      <div className={detail.columns}>
        <div className={detail.stack}>
          <section className={detail.panel}>
            <h2>{texts.address}</h2>
            <p>
              <code>{link.url}</code>
            </p>
            {status === 'active' && (
              <>
                {isCopied && <p role="status">{texts.copied}</p>}
                <CopyButton text={link.url} />
                <div>
                  <QrCode text={link.url} label={texts.scan} />
                </div>
              </>
            )}
          </section>
          <LifecyclePanel of={link} scope={scope} />
        </div>
        <section className={detail.panel}>
          <Facts
            facts={[
              [texts.concept, link.concepto],
              [texts.reference, link.reference],
              [texts.payer, link.payer_email],
              [texts.expires, <Moment key="expires" at={link.expires_at} timeZone={timeZone} />],
              [texts.paid, link.paid_at && <Moment key="paid" at={link.paid_at} timeZone={timeZone} />],
              ['Id', <code key="id">{link.id}</code>],
            ]}
          />
        </section>
      </div>
    </>
  )
}
