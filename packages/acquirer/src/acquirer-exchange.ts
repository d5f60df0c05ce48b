import { reveal, type Secret, withoutPropagation } from '@cobro/runtime'
import { Pool } from 'undici'

/**
 * How far a request got. `before`: surely nothing of it reached the acquirer. `during`: it may have, and no whole answer
 * came back. `after`: an answer came; its body is undefined where it is not JSON.
 */
export type Exchange =
  | { stage: 'before' | 'during'; reason: string }
  | { stage: 'after'; status: number; body: unknown }

/** One request to the acquirer. `timeoutMs` covers all of it, from connecting to the last byte of the answer. */
export interface Ask {
  method: 'GET' | 'POST'
  path: `/v1/${string}`
  timeoutMs: number
  key?: string
  body?: object
}

/** Connections to an acquirer. */
export interface Exchanges {
  ask(request: Ask): Promise<Exchange>
  /** Lets the requests in hand end, then closes. */
  close(): Promise<void>
}

const connectTimeoutMs = 3_000
const maxConnections = 64
/** No answer of the protocol comes near this size. */
const maxAnswerBytes = 64 * 1024

/** Failures of connecting. With any other, bytes may have left already. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED'])

/** Opens connections to the acquirer at `url`, which may have a path of its own, with `apiKey` as the bearer's secret. */
export function openExchanges({ url, apiKey }: { url: string; apiKey: Secret }): Exchanges {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: maxConnections,
    connect: { timeout: connectTimeoutMs },
    maxResponseSize: maxAnswerBytes,
    // Over HTTP/2 the client may send a request again by itself after a GOAWAY. A charge is sent once.
    allowH2: false,
  })
  return {
    // The acquirer is a stranger: ids of ours are none of its business.
    ask: request => withoutPropagation(() => exchange(pool, prefix, apiKey, request)),
    close: () => pool.close(),
  }
}

async function exchange(pool: Pool, prefix: string, apiKey: Secret, request: Ask): Promise<Exchange> {
  const { method, path, timeoutMs, key, body } = request
  try {
    const answer = await pool.request({
      method,
      path: `${prefix}${path}`,
      headers: {
        authorization: `Bearer ${reveal(apiKey)}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { stage: 'after', status: answer.statusCode, body: parseJson(await answer.body.text()) }
  } catch (error) {
    const reason = nameOf(error)
    return { stage: neverSent.has(reason) ? 'before' : 'during', reason }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A failure's code or kind. The error itself goes no further: a parser's error holds the bytes that it could not read. */
function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}
