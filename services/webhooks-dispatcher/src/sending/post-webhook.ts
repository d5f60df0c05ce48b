import { maskCardNumbers, maskStart } from '@cobro/contracts'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { ResolveHostname } from '../ssrf-guard/resolve-hostname.ts'
import { guardedConnector } from '../ssrf-guard/ssrf-guard.ts'
import { errorCodeOf } from './attempt-errors.ts'
import { WebhookCall } from './webhook-call.ts'

/** The result of one request. It has either a status code or an error. */
export interface WebhookResponse {
  status_code: number | null
  error: string | null
  /** The first 1,024 characters of the body. */
  response_body: string | null
  retry_after: string | null
  duration_ms: number
}

/** Sends one request within its timeout. Never throws. */
export type PostWebhook = (url: string, headers: Record<string, string>, body: Buffer) => Promise<WebhookResponse>

const connectTimeoutMs = 3_000
const maxBodyBytes = 4 * 1024
const maxBodyCharacters = 1_024

/**
 * Opens the HTTP client for webhooks. Leave out `resolve` to allow private addresses.
 * Connections per origin are unlimited: merchants may share an origin, and a slow endpoint must not delay the others.
 */
export function openWebhookClient(timeoutMs: number, resolve?: ResolveHostname) {
  const connectMs = Math.min(connectTimeoutMs, timeoutMs)
  const agent = new Agent({
    connect: resolve
      ? guardedConnector(resolve, connectMs)
      : buildConnector({ timeout: connectMs, allowH2: false } as object),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const post: PostWebhook = async (url, headers, body) => {
    const startedAt = performance.now()
    const { origin, pathname, search } = new URL(url)
    const options = { origin, path: pathname + search, method: 'POST', headers, body } as const
    const response = await request(agent, options, timeoutMs)
    return { ...response, duration_ms: Math.round(performance.now() - startedAt) }
  }
  return { post, close: () => agent.destroy() }
}

/** Redirects are not followed. */
async function request(
  agent: Agent,
  options: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<Omit<WebhookResponse, 'duration_ms'>> {
  const call = new WebhookCall({ timeoutMs, maxBodyBytes })
  agent.dispatch(options, call)
  try {
    const { statusCode, headers, body } = await call.received
    const retryAfter = headers['retry-after']
    return {
      status_code: statusCode,
      error: null,
      response_body: startOf(body),
      retry_after: typeof retryAfter === 'string' ? retryAfter : null,
    }
  } catch (error) {
    return { status_code: null, error: errorCodeOf(error), response_body: null, retry_after: null }
  }
}

function startOf(body: Buffer): string {
  const text = new TextDecoder().decode(body.subarray(0, maxBodyBytes)).replaceAll('\0', '\u{fffd}')
  return maskStart(text, maxBodyCharacters, part => maskCardNumbers(part, 'json'))
}
