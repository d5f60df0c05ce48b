import { join } from 'node:path'
import { declineReasonOf } from '@cobro/acquirer'
import { exampleOf } from './schema-examples.ts'
import type { Description, Schema, Schemas } from './schema-types.ts'
import { sdkOperations } from './sdk-operations.ts'
import { eventNames } from './sdk-types.ts'
import { generatedNote, repositoryRoot } from './source-lists.ts'

/** What distinguishes the data of an event from any other object of its kind. */
const approved = {
  status: 'approved',
  decline_reason: null,
  refund_status: null,
  refund_id: null,
  refund_requested_at: null,
  refunded_at: null,
  manual_refund: false,
}
const ended = { ...approved, captured_at: null }
const dataOfEvent: Readonly<Record<string, object>> = {
  'payment.approved': approved,
  'payment.pending': { ...ended, status: 'pending' },
  'payment.declined': { ...ended, status: 'declined', decline_reason: 'insufficient_funds' },
  'payment.failed': { ...ended, status: 'failed', decline_reason: 'processing_error' },
  'payment.expired': { ...ended, status: 'expired' },
  'payment.cancelled': { ...ended, status: 'cancelled' },
  'payment.refunded': { status: 'refunded', decline_reason: null, refund_status: 'completed', manual_refund: false },
  'payment.chargeback': { ...approved, status: 'chargeback' },
  'checkout_session.created': { status: 'pending', transaction_status: 'Pending', transaction_id: null },
  'checkout_session.completed': { status: 'completed', transaction_status: 'Approved' },
  'payment_link.created': { status: 'active', transaction_id: null, paid_at: null },
  'payment_link.paid': { status: 'paid' },
}

/** Prints an example of each event and of the response of each operation, and the test cards of the sandbox. */
export async function sdkExamples(description: Description): Promise<string> {
  const schemas: Schemas = description.components.schemas
  const names = Object.keys(description.webhooks)
  const events = eventNames(description).map((schema, at) => {
    const example = exampleOf(schemas[schema], schemas) as { data: object }
    const name = names[at] ?? ''
    return [name, { ...example, data: { ...example.data, ...dataOfEvent[name] } }]
  })
  const answers = sdkOperations(description).flatMap(({ id, response, methods }) =>
    response && methods.keys ? [[id, exampleOf(response, schemas)]] : [],
  )
  return [
    generatedNote,
    `import type { TestCard, WebhookEvent } from './types.ts'\n`,
    `type Name = WebhookEvent['event']\n`,
    '/** An example of each event. */',
    `export const eventExamples: { [Event in Name]: Extract<WebhookEvent, { event: Event }> } = ${printed(events)}\n`,
    '/** An example of the response of each operation, by its id. */',
    `export const answerExamples = ${printed(answers)}\n`,
    '/** An operation that has an answer. */',
    'export type AnsweredOperation = keyof typeof answerExamples\n',
    '/** The test cards of the sandbox. Any expiry that is not past and any security code is correct. */',
    `export const testCards: readonly TestCard[] = ${JSON.stringify(await cards(), null, 2)}\n`,
  ].join('\n')
}

function printed(entries: Iterable<readonly unknown[]>): string {
  return JSON.stringify(Object.fromEntries(Array.from(entries, ([name, value]) => [name, value])), null, 2)
}

/** The cards are those of the acquirer in the sandbox. */
async function cards(): Promise<object[]> {
  const { listTestCards } = await import(
    join(repositoryRoot, 'services', 'acquirer-sandbox', 'src', 'tokens', 'card-behaviors.ts')
  )
  return listTestCards().map(({ response_code, ...card }: Schema) => {
    const { number, brand, status, ...others } = card
    return {
      number,
      brand,
      status,
      decline_reason: status === 'declined' ? declineReasonOf(response_code) : null,
      ...others,
    }
  })
}
