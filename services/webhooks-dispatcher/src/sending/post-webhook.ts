import { maskCardNumbers } from '@cobro/contracts'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { errorCodeOf } from './attempt-errors.ts'
import { publicConnector } from './public-connector.ts'
import type { ResolveName } from './resolve-name.ts'

/** What one request came to. Without a status code there is an error, and the other way round. */
export interface Answer {
  status_code: number | null
  error: string | null
  /** The first 1,024 characters of the answer. */
  response_body: string | null
  retry_after: string | null
  duration_ms: number
}

/** Sends one request, within its deadline, and never throws. */
export type Post = (url: string, headers: Record<string, string>, body: Buffer) => Promise<Answer>

const connectTimeoutMs = 3_000
const maxBodyBytes = 4 * 1024
const maxBodyCharacters = 1_024

/**
 * Opens what webhooks are posted with. Connections are not limited per origin: many endpoints of different merchants may
 * share one, and a slow one of them must not delay the others. `resolve` is left out where private addresses are allowed.
 */
export function openPoster({ timeoutMs, resolve }: { timeoutMs: number; resolve?: ResolveName | undefined }) {
  const connectMs = Math.min(connectTimeoutMs, timeoutMs)
  const agent = new Agent({
    connect: resolve
      ? publicConnector(resolve, connectMs)
      : buildConnector({ timeout: connectMs, allowH2: false } as object),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const post: Post = async (url, headers, body) => {
    const startedAt = performance.now()
    const outcome = await request(agent, new URL(url), { headers, body, timeoutMs })
    return { ...outcome, duration_ms: Math.round(performance.now() - startedAt) }
  }
  return { post, close: () => agent.destroy() }
}

interface Posted {
  headers: Record<string, string>
  body: Buffer
  timeoutMs: number
}

/** One signal bounds everything: name, connection, TLS, headers and body. No redirect is followed. */
async function request(agent: Agent, url: URL, posted: Posted): Promise<Omit<Answer, 'duration_ms'>> {
  const { headers, body, timeoutMs } = posted
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const retryAfter = response.headers['retry-after']
    return {
      status_code: response.statusCode,
      error: null,
      response_body: await readHead(response.body),
      retry_after: typeof retryAfter === 'string' ? retryAfter : null,
    }
  } catch (error) {
    return { status_code: null, error: errorCodeOf(error), response_body: null, retry_after: null }
  }
}

/** Reads the beginning of an answer for the record. The status has been given by then: a body that breaks off changes nothing. */
async function readHead(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= maxBodyBytes) break
    }
  } catch {
    // What came before the break is kept.
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBodyBytes)).replaceAll('\0', '\u{fffd}')
  // Masked before it is cut, which might leave the most of a number behind.
  return [...maskCardNumbers(text)].slice(0, maxBodyCharacters).join('')
}
