import { createInterface } from 'node:readline'
// region verify
import {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from '@cobro/sdk/webhooks'

/** Returns the event, or undefined unless Cobro signed these bytes within the last five minutes. */
async function verifiedEvent(
  rawBody: Uint8Array,
  headers: WebhookHeaders,
  secrets: readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent | undefined> {
  try {
    return await verifyWebhook(rawBody, headers, secrets, options)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
}
// endregion

// Reads test vectors, one a line: body, time and secrets, and headers as name:value, all but the time in base64.
const decoded = (text: string) => Buffer.from(text, 'base64').toString()
const listOf = (text: string) => (text === '' ? [] : text.split(','))

for await (const line of createInterface({ input: process.stdin })) {
  const [body = '', seconds = '', secrets = '', pairs = ''] = line.split('\t')
  const headers: Record<string, string[]> = {}
  for (const pair of listOf(pairs)) {
    const [name = '', value = ''] = pair.split(':').map(decoded)
    headers[name] = [...(headers[name] ?? []), value]
  }
  const nowMs = Number(seconds) * 1_000
  const event = await verifiedEvent(Buffer.from(body, 'base64'), headers, listOf(secrets).map(decoded), {
    nowMs,
  }).catch(() => undefined)
  console.log(event !== undefined)
}
