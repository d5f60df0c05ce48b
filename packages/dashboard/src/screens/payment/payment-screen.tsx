import { formatAmount, formatMoment } from '@cobro/look/formats'
import type { TransactionDetails } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import styles from './payment.module.css'
import { refreshEveryMs, sentenceOf } from './payment-rules.ts'
import { RefundButton } from './refund-button.tsx'
import { Timeline } from './timeline.tsx'

/** A payment: its amount, state and a sentence first, then what happened and its facts. */
export function PaymentScreen() {
  const texts = useTexts(paymentTexts)
  const { id = '' } = useParams({ strict: false })
  useTitle(id)
  const { scope, may, timeZone } = useMe()
  const { data, error, refetch } = useQuery({
    queryKey: [scope, 'payment', id],
    queryFn: ({ signal }) => cobroOf(scope).transactions.retrieve(id, { signal }),
    refetchInterval: query => refreshEveryMs(query.state.data),
  })
  return (
    <>
      <Link to="/$scope/payments" params={{ scope }} search={{}}>
        {texts.back}
      </Link>
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={3} />
      ) : (
        <>
          <Head payment={data} />
          {may('refundTransaction') && <RefundButton payment={data} scope={scope} />}
          <div className={styles.columns}>
            <section className={styles.panel}>
              <h2>{texts.timeline}</h2>
              <Timeline payment={data} scope={scope} timeZone={timeZone} />
            </section>
            <section className={styles.panel}>
              <h2>{texts.facts}</h2>
              <Facts payment={data} timeZone={timeZone} />
            </section>
          </div>
        </>
      )}
    </>
  )
}

function Head({ payment }: { payment: TransactionDetails }) {
  const texts = useTexts(paymentTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  const { status, refund_status } = payment
  return (
    <header className={styles.head}>
      <h1 className={styles.amount}>{formatAmount(payment.amount_cents, payment.currency, locale)}</h1>
      <StatusBadge status={status} word={words.payment[status]} />
      {refund_status && status !== 'refunded' && (
        <StatusBadge status={refund_status} word={words.refund[refund_status]} />
      )}
      <p className={styles.sentence}>{sentenceOf(payment, texts)}</p>
    </header>
  )
}

function Facts({ payment, timeZone }: { payment: TransactionDetails; timeZone: string }) {
  const texts = useTexts(paymentTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  const { card, currency, captured_at } = payment
  const facts: [string, string | null][] = [
    [texts.names.created, formatMoment(payment.created_at, locale, timeZone)],
    [texts.names.captured, captured_at && formatMoment(captured_at, locale, timeZone)],
    [texts.names.method, card ? `${card.brand} •••• ${card.last4}` : words.method[payment.payment_method]],
    [texts.names.fee, payment.fee_cents > 0 ? formatAmount(payment.fee_cents, currency, locale) : null],
    [texts.names.reference, payment.reference],
    [texts.names.order, payment.order_id],
    [texts.names.payer, payment.payer_email],
    [texts.names.customer, payment.customer_ref],
  ]
  return (
    <dl className={styles.facts}>
      <dt>{texts.names.id}</dt>
      <dd>
        <code>{payment.id}</code>
      </dd>
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
