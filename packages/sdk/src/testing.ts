import { type Cobro, type CobroOptions, createCobro } from './create-cobro.ts'
import { answerExamples, eventExamples } from './generated/examples.ts'
import { merchantMethods } from './generated/merchant-methods.ts'
import type { WebhookEvent } from './generated/types.ts'
import { isOperation, type MethodTree, type OperationRow } from './transport/operation-row.ts'

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
  operationId: string
  /** The path with its ids, and the query. */
  target: string
  body: unknown
  idempotencyKey: string | undefined
}

export interface FakeOptions extends Partial<CobroOptions> {
  /** Answers of operations by their ids: the body, or a whole `Response`. By default the example of the API description. */
  answers?: Readonly<Record<string, (call: FakeCall) => unknown>>
}

/** Returns a client that sends nothing: it records its calls, and answers them with examples. */
export function fakeCobro({ answers = {}, ...options }: FakeOptions = {}): { cobro: Cobro; calls: FakeCall[] } {
  const calls: FakeCall[] = []
  const answer = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(String(url))
    const operation = operationAt(init.method ?? 'GET', pathname)
    if (operation === undefined) return Response.json({ error: 'not_found' }, { status: 404 })
    const call: FakeCall = {
      operationId: operation[0],
      target: pathname + search,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      idempotencyKey: new Headers(init.headers).get('idempotency-key') ?? undefined,
    }
    calls.push(call)
    const answered = answers[call.operationId]?.(call) ?? answerExamples[call.operationId]
    return answered instanceof Response ? answered : Response.json(answered)
  }
  const cobro = createCobro({ apiKey: 'vk_test_fake', baseUrl: 'http://cobro.invalid', fetch: answer, ...options })
  return { cobro, calls }
}

function operationAt(method: string, path: string): OperationRow | undefined {
  return rowsOf(merchantMethods).find(([, itsMethod, template]) => {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[\\w-]+')}$`)
    return itsMethod === method && pattern.test(path)
  })
}

function rowsOf(tree: MethodTree): OperationRow[] {
  return Object.values(tree).flatMap(member => (isOperation(member) ? [member] : rowsOf(member)))
}
