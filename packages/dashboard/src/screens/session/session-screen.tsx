import { formatAmount } from '@cobro/look/formats'
import type { CheckoutSession } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import detail from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LifecyclePanel } from '../../parts/lifecycle-panel.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { sessionsTexts } from '../../text/sessions-texts.ts'
import { SessionActions } from './session-actions.tsx'

const openMs = 5_000

/** A checkout session: what is to be paid, by whom, and what became of it. */
export function SessionScreen(): ReactNode {
  const { title } = useTexts(sessionsTexts)
  const { scope } = useMe()
  return (
    <DetailScreen
      name="session"
      needs="getMerchantCheckoutSession"
      list={{ to: '/$scope/sessions', title }}
      read={(id, signal) => cobroOf(scope).checkout.sessions.retrieve(id, { signal })}
      refreshEveryMs={({ status }) => (status === 'pending' ? openMs : false)}
    >
      {session => <SessionDetail session={session} scope={scope} />}
    </DetailScreen>
  )
}

function SessionDetail({ session, scope }: { session: CheckoutSession; scope: string }) {
  const texts = useTexts(sessionsTexts)
  const { locale } = useLocale()
  const { timeZone } = useMe()
  const { status, currency, transaction_id } = session
  return (
    <>
      <header className={detail.head}>
        <h1 className={detail.amount}>{formatAmount(session.amount_total, currency, locale)}</h1>
        <StatusBadge status={status} word={texts.statuses[status]} />
        <p className={detail.sentence}>{texts.sentences[status]}</p>
      </header>
      {transaction_id && (
        <Link to="/$scope/payments/$id" params={{ scope, id: transaction_id }}>
          {texts.openPayment}
        </Link>
      )}
      <SessionActions session={session} scope={scope} />
      <div className={detail.columns}>
        <div className={detail.stack}>
          <section className={detail.panel}>
            {session.line_items.length > 0 && (
              <>
                <h2>{texts.items}</h2>
                <ul>
                  {session.line_items.map(({ name, quantity, unit_price }, at) => (
                    <li key={`${at} ${name}`}>
                      {quantity} × {name}, {formatAmount(unit_price, currency, locale)}
                    </li>
                  ))}
                </ul>
              </>
            )}
            <h2>{texts.address}</h2>
            <p>
              <code>{session.url}</code>
            </p>
            {status === 'pending' && <CopyButton text={session.url} />}
          </section>
          <LifecyclePanel of={session} scope={scope} />
        </div>
        <section className={detail.panel}>
          <Facts
            facts={[
              [texts.order, session.external_id],
              [texts.customer, session.customer?.email],
              [texts.created, <Moment key="created" at={session.created_at} timeZone={timeZone} />],
              [texts.expires, <Moment key="expires" at={session.expires_at} timeZone={timeZone} />],
              ['Id', <code key="id">{session.id}</code>],
            ]}
          />
        </section>
      </div>
    </>
  )
}
