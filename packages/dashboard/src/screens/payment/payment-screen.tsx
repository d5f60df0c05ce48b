import { formatAmount } from '@cobro/look/formats'
import type { TransactionDetails } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import styles from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { refreshEveryMs, sentenceOf } from './payment-rules.ts'
import { RefundButton } from './refund-button.tsx'
import { Timeline } from './timeline.tsx'

/** A payment: its amount, state and a sentence first, then what happened and its facts. */
export function PaymentScreen(): ReactNode {
  const texts = useTexts(paymentTexts)
  const { scope, may, timeZone } = useMe()
  return (
    <DetailScreen
      name="payment"
      list={{ to: '/$scope/payments', title: texts.back }}
      read={(id, signal) => cobroOf(scope).transactions.retrieve(id, { signal })}
      refreshEveryMs={refreshEveryMs}
    >
      {payment => (
        <>
          <Head payment={payment} />
          {may('refundTransaction') && <RefundButton payment={payment} scope={scope} />}
          <div className={styles.columns}>
            <section className={styles.panel}>
              <h2>{texts.timeline}</h2>
              <Timeline payment={payment} scope={scope} timeZone={timeZone} />
            </section>
            <section className={styles.panel}>
              <h2>{texts.facts}</h2>
              <PaymentFacts payment={payment} timeZone={timeZone} />
            </section>
          </div>
        </>
      )}
    </DetailScreen>
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

function PaymentFacts({ payment, timeZone }: { payment: TransactionDetails; timeZone: string }) {
  const { names } = useTexts(paymentTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  const { card, currency, captured_at, fee_cents } = payment
  return (
    <Facts
      facts={[
        [names.id, <code key="id">{payment.id}</code>],
        [names.created, <Moment key="created" at={payment.created_at} timeZone={timeZone} />],
        [names.captured, captured_at && <Moment key="captured" at={captured_at} timeZone={timeZone} />],
        [names.method, card ? `${card.brand} •••• ${card.last4}` : words.method[payment.payment_method]],
        [names.fee, fee_cents > 0 && formatAmount(fee_cents, currency, locale)],
        [names.reference, payment.reference],
        [names.order, payment.order_id],
        [names.payer, payment.payer_email],
        [names.customer, payment.customer_ref],
        [names.merchant, <code key="merchant">{payment.merchant_id}</code>],
      ]}
    />
  )
}
