import { payByCard } from '@cobro/local-stack'
import { startOtlpReceiver } from '@cobro/testing'
import { type AcceptanceStack, acceptanceStack } from './acceptance-stack.ts'
import { type ApiClient, clientsOf } from './api-client.ts'
import { checkRefundsTomorrow } from './refund-checks.ts'
import { startReceiver } from './webhook-receiver.ts'

/** Much longer than a payment or a stop may take: what waits for an export is recognized by it. */
const exportTimeoutMs = 90_000

/** Services that send their spans to a collector of the test. */
export interface TracedStack {
  stack: AcceptanceStack
  clients: Awaited<ReturnType<typeof clientsOf>>
  collector: Awaited<ReturnType<typeof startOtlpReceiver>>
  /** What a test opened, to be closed even if the test fails. */
  closing: (() => Promise<unknown>)[]
}

/**
 * Gives the calling test file a traced stack of its own, once the returned function may be called.
 */
export function ownTracedStack(): () => TracedStack {
  let traced: TracedStack
  beforeAll(async () => {
    const collector = await startOtlpReceiver()
    const stack = await acceptanceStack({
      all: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '100',
        // No span may be dropped, however many end at once.
        OTEL_BSP_MAX_QUEUE_SIZE: '100000',
        OTEL_BSP_EXPORT_TIMEOUT: String(exportTimeoutMs),
        OTEL_EXPORTER_OTLP_TIMEOUT: String(exportTimeoutMs),
      },
      'acquirer-sandbox': { REFUND_DELAY_MS: '500' },
    })
    await checkRefundsTomorrow(stack)
    traced = { stack, clients: await clientsOf(stack.stack), collector, closing: [] }
  })
  afterEach(async () => {
    for (const close of traced?.closing.splice(0) ?? []) await close()
  })
  afterAll(async () => {
    await traced?.stack.stop()
    await traced?.collector.stop()
  })
  return () => traced
}

/**
 * Creates a merchant with one endpoint, which accepts webhooks about 7.77 pesos on the third
 * attempt only.
 */
export async function merchantWithReceiver({ stack, clients, closing }: TracedStack): Promise<ApiClient> {
  const { stranger: merchant } = clients
  const receiver = await startReceiver(({ headers, body }, before) => {
    const delivery = headers['x-service-delivery']
    const attempts = before.filter(one => one.headers['x-service-delivery'] === delivery).length
    return body.data.amount_total === 777 && attempts < 2 ? 500 : 200
  })
  const { id } = (await merchant.call('POST', '/api/webhooks', { url: receiver.url, events: ['*'] })).body
  closing.push(() => merchant.call('DELETE', `/api/webhooks/${id}`), receiver.stop)
  // The acquirer's public key is fetched once in minutes: before the traces under test.
  await payByCard(stack.stack.hosted_url, (await openSession(merchant)).id, '4242424242424242')
  return merchant
}

export async function openSession(
  merchant: ApiClient,
  more: object = {},
): Promise<{ id: string; correlation_id: string }> {
  const order = { amount_total: 25_000, return_url: 'https://shop.mx', ...more }
  return (await merchant.call('POST', '/checkout/v1/sessions', order)).body
}
