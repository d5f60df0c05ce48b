import { formatAmount } from '@cobro/look/formats'
import type { CheckoutSession } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import detail from '../../parts/detail.module.css'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { sessionsTexts } from '../../text/sessions-texts.ts'

const openMs = 5_000

/** A checkout session: what is to be paid, by whom, and what became of it. */
export function SessionScreen(): ReactNode {
  const texts = useTexts(sessionsTexts)
  const { id = '' } = useParams({ strict: false })
  useTitle(id)
  const { scope } = useMe()
  const { data, error, refetch } = useQuery({
    queryKey: [scope, 'session', id],
    queryFn: ({ signal }) => cobroOf(scope).checkout.sessions.retrieve(id, { signal }),
    refetchInterval: query => (query.state.data?.status === 'pending' ? openMs : false),
  })
  return (
    <>
      <Link to="/$scope/sessions" params={{ scope }} search={{}}>
        {texts.title}
      </Link>
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data ? (
        <SessionDetail session={data} scope={scope} />
      ) : (
        <Loading rows={3} />
      )}
    </>
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
      <div className={detail.columns}>
        <section className={detail.panel}>
          <h2>{texts.items}</h2>
          <ul>
            {session.line_items.map(({ name, quantity, unit_price }, at) => (
              <li key={`${at} ${name}`}>
                {quantity} × {name}, {formatAmount(unit_price, currency, locale)}
              </li>
            ))}
          </ul>
          <h2>{texts.address}</h2>
          <p>
            <code>{session.url}</code>
          </p>
          {status === 'pending' && <CopyButton text={session.url} />}
        </section>
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
