import { formatAmount } from '@cobro/look/formats'
import type { TransactionDetails } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useLifecycle } from '../../api/use-lifecycle.ts'
import { useMe } from '../../api/use-me.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import styles from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { EventList } from '../../parts/event-list.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RefundStatus } from '../../parts/refund-status.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLocale, useTexts } from '../../text/locale.tsx'
import { paymentPanelsTexts } from '../../text/payment-panels-texts.ts'
import { paymentTexts } from '../../text/payment-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DevelopersPanel } from './developers-panel.tsx'
import { DisputesPanel } from './disputes-panel.tsx'
import { EditPaymentButton } from './edit-payment-button.tsx'
import { refreshEveryMs, sentenceOf } from './payment-rules.ts'
import { RefundButton } from './refund-button.tsx'

/** A payment: its amount, state and a sentence first, then what happened and its facts. */
export function PaymentScreen(): ReactNode {
  const texts = useTexts(paymentTexts)
  const { scope, may } = useMe()
  return (
    <DetailScreen
      name="payment"
      needs="getTransaction"
      list={{ to: '/$scope/payments', title: texts.back }}
      read={(id, signal) => cobroOf(scope).transactions.retrieve(id, { signal })}
      refreshEveryMs={refreshEveryMs}
    >
      {payment => (
        <>
          <Head payment={payment} />
          <div className={styles.actions}>
            {may('refundTransaction') && <RefundButton payment={payment} scope={scope} />}
            {may('updateTransaction') && <EditPaymentButton payment={payment} scope={scope} />}
          </div>
          <Panels payment={payment} scope={scope} />
        </>
      )}
    </DetailScreen>
  )
}

/** What is known of a payment, in parts that load and fail by themselves. */
function Panels({ payment, scope }: { payment: TransactionDetails; scope: string }) {
  const texts = useTexts(paymentTexts)
  const { metadata: metadataTitle } = useTexts(paymentPanelsTexts)
  const { may } = useMe()
  const lifecycle = useLifecycle(payment, scope)
  const { id, metadata } = payment
  return (
    <div className={styles.columns}>
      <div className={styles.stack}>
        {may('listDisputes') && <DisputesPanel payment={payment} scope={scope} />}
        <Panel title={texts.timeline} query={lifecycle}>
          {events => <EventList events={events} shown={id} empty={texts.timelineEmpty} />}
        </Panel>
        {may('listWebhookDeliveries') && <DeliveriesPanel payment={payment} scope={scope} />}
      </div>
      <div className={styles.stack}>
        <section className={styles.panel}>
          <h2>{texts.facts}</h2>
          <PaymentFacts payment={payment} />
        </section>
        {metadata && (
          <section className={styles.panel} aria-label={metadataTitle}>
            <h2>{metadataTitle}</h2>
            <CodeBlock text={JSON.stringify(metadata, null, 2)} />
          </section>
        )}
        <DevelopersPanel id={id} lifecycle={lifecycle} />
      </div>
    </div>
  )
}

function Head({ payment }: { payment: TransactionDetails }) {
  const texts = useTexts(paymentTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  const { status } = payment
  return (
    <header className={styles.head}>
      <h1 className={styles.amount}>{formatAmount(payment.amount_cents, payment.currency, locale)}</h1>
      <StatusBadge status={status} word={words.payment[status]} />
      {status !== 'refunded' && <RefundStatus payment={payment} />}
      <p className={styles.sentence}>{sentenceOf(payment, texts)}</p>
    </header>
  )
}

function PaymentFacts({ payment }: { payment: TransactionDetails }) {
  const { names } = useTexts(paymentTexts)
  const words = useTexts(statusTexts)
  const { locale } = useLocale()
  const { scope, timeZone } = useMe()
  const { card, currency, fee_cents, terminal_id } = payment
  const moment = (at: string | null) => at && <Moment at={at} timeZone={timeZone} />
  return (
    <Facts
      facts={[
        [names.id, <code key="id">{payment.id}</code>],
        [names.created, moment(payment.created_at)],
        [names.captured, moment(payment.captured_at)],
        [names.refundRequested, moment(payment.refund_requested_at)],
        [names.refundCompleted, moment(payment.refunded_at)],
        [names.method, card ? `${card.brand} •••• ${card.last4}` : words.method[payment.payment_method]],
        [names.fee, fee_cents > 0 && formatAmount(fee_cents, currency, locale)],
        [names.reference, payment.reference],
        [names.order, payment.order_id],
        [names.payer, payment.payer_email],
        [names.customer, payment.customer_ref],
        [
          names.terminal,
          terminal_id && (
            <Link to="/$scope/payments" params={{ scope }} search={{ terminal_id }}>
              <code>{terminal_id}</code>
            </Link>
          ),
        ],
        [names.merchant, <code key="merchant">{payment.merchant_id}</code>],
      ]}
    />
  )
}
