import type { Cobro } from './create-cobro.ts'
import { type AnsweredOperation, answerExamples, eventExamples } from './generated/examples.ts'
import { type MerchantMethods, merchantMethods } from './generated/merchant-methods.ts'
import type { WebhookEvent } from './generated/types.ts'
import { answerOf } from './transport/answer.ts'
import { clientOf } from './transport/client.ts'
import type { OutgoingCall } from './transport/send.ts'
import { withFeed } from './webhook-feed.ts'

export { testCards } from './generated/examples.ts'

type EventName = WebhookEvent['event']
type EventOf<Name extends EventName> = Extract<WebhookEvent, { event: Name }>

/** Returns an example of an event, with fields of its data in place of those of the example. */
export function exampleEvent<Name extends EventName>(
  name: Name,
  data: Partial<EventOf<Name>['data']> = {},
): EventOf<Name> {
  const example = eventExamples[name]
  return { ...example, data: { ...example.data, ...data } }
}

export interface SignOptions {
  /** The time of the signature, in Unix milliseconds. By default the current one. */
  nowMs?: number
}

/** Returns an event as a webhook delivers it: the body and the headers that `verifyWebhook` checks. */
export async function signWebhook(
  event: object | string,
  secret: string,
  { nowMs = Date.now() }: SignOptions = {},
): Promise<{ body: string; headers: Record<string, string> }> {
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  const timestamp = String(Math.floor(nowMs / 1_000))
  const encoder = new TextEncoder()
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`${timestamp}.${body}`))
  const hex = Array.from(new Uint8Array(signature), byte => byte.toString(16).padStart(2, '0')).join('')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature-timestamp': timestamp,
      'x-service-signature-v1': hex,
    },
  }
}

/** A call that a fake client was asked to send. */
export interface FakeCall {
  /** The operation, as the API description names it, such as `refundTransaction`. */
  operationId: AnsweredOperation
  /** The path with its ids, and the query. */
  target: string
  body: unknown
  idempotencyKey: string | undefined
}

export interface FakeOptions {
  /** Answers of operations by their ids: the body, or a whole `Response`. By default the example of the API description. */
  answers?: { readonly [Id in AnsweredOperation]?: (call: FakeCall) => unknown }
}

/** Returns a client that sends nothing: it records its calls, and answers them with examples. */
export function fakeCobro({ answers = {} }: FakeOptions = {}): { cobro: Cobro; calls: FakeCall[] } {
  const calls: FakeCall[] = []
  const send = async ({ operation, target, body, idempotencyKey }: OutgoingCall) => {
    const call = { operationId: operation[0] as AnsweredOperation, target, body, idempotencyKey }
    calls.push(call)
    const answered = answers[call.operationId]?.(call) ?? (await exampleFor(call))
    const response = answered instanceof Response ? answered : Response.json(answered)
    return answerOf(response, { operation, idempotencyKey })
  }
  const transport = { baseUrl: 'http://cobro.invalid', authorize: () => ({}), send }
  return { cobro: withFeed(clientOf(merchantMethods, transport) as MerchantMethods), calls }
}

/** The feed has one event; a reader that has it waits a moment. */
async function exampleFor({ operationId, target }: FakeCall): Promise<unknown> {
  const example = answerExamples[operationId]
  const after = Number(new URLSearchParams(target.split('?')[1]).get('after') ?? 0)
  if (operationId !== 'listWebhookEvents' || after < answerExamples.listWebhookEvents.through) return example
  await new Promise(resolve => setTimeout(resolve, emptyPageMs))
  return { ...example, data: [], after, through: after }
}

const emptyPageMs = 50
