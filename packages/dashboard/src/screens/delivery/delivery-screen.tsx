import type { WebhookDelivery } from '@cobro/sdk/admin'
import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CancelButton } from '../../parts/cancel-button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import detail from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ResendButton } from '../../parts/resend-button.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'
import { ResendAllButton } from '../deliveries/resend-all-button.tsx'
import { EditWebhookButton } from '../webhooks/edit-webhook-button.tsx'

const openMs = 2_000
const open: readonly WebhookDelivery['status'][] = ['pending', 'delivering']

/** A delivery: whether it arrived, each attempt with the answer of the server, and what was sent. */
export function DeliveryScreen(): ReactNode {
  const { title } = useTexts(webhooksTexts).deliveries
  const { scope } = useMe()
  return (
    <DetailScreen
      name="delivery"
      needs="getWebhookDelivery"
      list={{ to: '/$scope/deliveries', title }}
      read={(id, signal) => cobroOf(scope).webhookDeliveries.retrieve(id, { signal })}
      refreshEveryMs={({ status }) => (open.includes(status) ? openMs : false)}
    >
      {delivery => <DeliveryDetail delivery={delivery} scope={scope} />}
    </DetailScreen>
  )
}

function DeliveryDetail({ delivery, scope }: { delivery: WebhookDelivery; scope: string }) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  const { may, timeZone } = useMe()
  const { status, next_attempt_at, attempt_count } = delivery
  // It waits for its next attempt.
  const isRetried = status === 'pending' && attempt_count > 0
  return (
    <>
      <header className={detail.head}>
        <h1>{delivery.event}</h1>
        <StatusBadge status={status} word={texts.statuses[status]} />
        <p className={detail.sentence}>{isRetried ? texts.retried : texts.sentences[status]}</p>
      </header>
      <div className={detail.actions}>
        {may('redeliverWebhook') && <ResendButton delivery={delivery} scope={scope} />}
        {may('updateWebhook') && <EditWebhookButton id={delivery.webhook_id} scope={scope} />}
        {may('cancelWebhookDelivery') && status === 'pending' && (
          <CancelButton
            texts={texts.cancelling}
            merchantId={delivery.merchant_id}
            cancel={() => cobroOf(scope).webhookDeliveries.cancel(delivery.id, { status: 'cancelled' })}
            changed={[
              [scope, 'delivery', delivery.id],
              [scope, 'deliveries'],
            ]}
          />
        )}
        <ResendAllButton
          merchantId={delivery.merchant_id}
          webhookId={delivery.webhook_id}
          status={delivery.status}
          days={30}
        />
      </div>
      <div className={detail.columns}>
        <section className={detail.panel}>
          <h2>{texts.attempts}</h2>
          <Attempts delivery={delivery} timeZone={timeZone} />
          <h2>{texts.payload}</h2>
          <CodeBlock text={readable(delivery.payload)} />
        </section>
        <section className={detail.panel}>
          <Facts
            facts={[
              [texts.endpoint, delivery.url],
              [texts.next, next_attempt_at && <Moment key="next" at={next_attempt_at} timeZone={timeZone} />],
              ['Id', <code key="id">{delivery.id}</code>],
            ]}
          />
        </section>
      </div>
    </>
  )
}

function Attempts({ delivery, timeZone }: { delivery: WebhookDelivery; timeZone: string }) {
  const { deliveries: texts } = useTexts(webhooksTexts)
  return (
    <ol className={detail.timeline}>
      {delivery.attempts.map(({ number, at, duration_ms, status_code, error, response_body }) => (
        <li key={number}>
          <Moment at={at} timeZone={timeZone} hasSeconds />
          <span>{texts.number(number)}</span>
          <code>{status_code ?? error ?? texts.noAnswer}</code>
          {duration_ms !== null && <span>{duration_ms} ms</span>}
          {response_body && <code>{response_body}</code>}
        </li>
      ))}
    </ol>
  )
}

/** Returns a JSON text with line breaks; any other text as it is. */
function readable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2)
  } catch {
    return payload
  }
}
