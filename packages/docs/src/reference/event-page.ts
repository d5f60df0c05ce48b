import { webhookCatalog } from '@cobro/contracts'
import { exampleEvent } from '@cobro/sdk/testing'
import type { WebhookEvent } from '@cobro/sdk/webhooks'
import type { GeneratedPage } from './generated-page.ts'

type EventName = WebhookEvent['event']

/** When an event is sent, and what a receiver does, where its description does not say it. */
const notes: Partial<Record<EventName, string>> = {
  'payment.approved': 'Deliver what was paid for.',
  'payment.pending':
    'It is sent when a voucher for cash is issued, and for a manual transaction that is created as pending. Do not deliver yet.',
  'payment.declined': 'The payer may try another card, so the same session or link may still be paid.',
  'payment.failed': `It has two causes:

- A payment failed for a technical reason, which charged nothing. The session or link stays open, so the payer may try again.
  \`data\` is the transaction; or the session or link, if the payment failed before there was one.
- A session or link expired. Each one that does sends \`payment.expired\` and this event, and \`data\` is the session or link.`,
  'payment.expired':
    '`data` is the session or link. `payment.failed` is sent too, and `checkout_session.completed` for a session.',
  'payment.cancelled': '`data` is the session, link or transaction. A session also sends `checkout_session.completed`.',
  'payment.chargeback': 'No event says how the dispute ends: [read it](/docs/guides/refunds#answer-a-dispute).',
  'payment.duplicate': `Deliver nothing. \`data\` is the session or link that a payer tried to pay again, at most once a minute; or the
transaction of cash that was paid when the session or link had ended, which is refunded automatically. If that transaction also sent
\`payment.approved\`, take the order back.`,
  'payment_link.paid': '`payment.approved` is sent too, and has the transaction.',
  'checkout_session.completed': `It is sent for every session that ends, also without a payment. \`data.status\` says how: \`completed\`
if it was paid, otherwise \`expired\` or \`cancelled\`.`,
  'webhook.test': 'It is sent to one endpoint, and is not in the feed.',
}

/** Returns the page of all events that webhooks receive. */
export function eventPage(): GeneratedPage {
  const chapters = (Object.keys(webhookCatalog) as EventName[]).map(name => {
    const { description } = webhookCatalog[name] ?? {}
    const note = notes[name]
    return `## ${name}

${description ?? ''}.${note === undefined ? '' : `\n\n${note}`}

Make it happen in the sandbox: \`cobro trigger ${name}\`.

\`\`\`json
${JSON.stringify(exampleEvent(name), null, 2)}
\`\`\``
  })
  const markdown = `# Events

Every event has the same envelope; \`data\` is the object that it is about, as it was then. Webhooks receive it, and the event feed
keeps it, with the same bytes.

**Deliver goods on \`payment.approved\` only.** One outcome may send several events, in any order, and events whose names sound like
an end are also sent without a payment: \`checkout_session.completed\` follows every session that expired or was cancelled too.

${chapters.join('\n\n')}
`
  return { path: 'reference/events', markdown }
}
