import { constants } from 'node:crypto'
import { abortAfter, isCertificateError, reveal, type Secret, withoutPropagation } from '@cobro/runtime'
import { Pool } from 'undici'

/**
 * How far a request got. `before`: surely no byte reached the acquirer. `during`: some may have,
 * and no complete response came back. `after`: a response arrived; its body is undefined if it is not JSON.
 */
export type RequestResult =
  | { stage: 'before' | 'during'; reason: string }
  | { stage: 'after'; status: number; body: unknown }

/** A request to the acquirer. `timeoutMs` is from connecting to the last byte of the response. */
interface AcquirerRequest {
  method: 'GET' | 'POST'
  path: `/v1/${string}`
  timeoutMs: number
  key?: string
  body?: object
}

const connectTimeoutMs = 3_000
const maxConnections = 64
/** No response of the protocol comes near this size. */
const maxResponseBytes = 64 * 1024

/** Connection failures. After any other error, bytes may have been sent. */
const notSentErrors = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_CLOSED'])

/** Opens a client for the acquirer at `url`, which may have a path, with bearer token `apiKey`. */
export function openAcquirerHttpClient({ url, apiKey }: { url: string; apiKey: Secret }) {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: maxConnections,
    // A renegotiation could fail with a certificate error after a request was sent.
    connect: { timeout: connectTimeoutMs, secureOptions: constants.SSL_OP_NO_RENEGOTIATION },
    maxResponseSize: maxResponseBytes,
    // Over HTTP/2 undici may resend a request by itself after a GOAWAY. A charge is sent once.
    allowH2: false,
  })
  return {
    // The acquirer is a third party: it gets no trace or correlation ids.
    send: (request: AcquirerRequest) => withoutPropagation(() => send(pool, prefix, apiKey, request)),
    /** Waits for the requests in flight, then closes the connections. */
    close: () => pool.close(),
  }
}

export type AcquirerHttpClient = ReturnType<typeof openAcquirerHttpClient>

/** Describes in a few words how a request ended, without any request or response data. */
export function describeResult(result: RequestResult): string {
  return result.stage === 'after' ? `status ${result.status}` : `${result.reason} ${result.stage} the exchange`
}

async function send(pool: Pool, prefix: string, apiKey: Secret, request: AcquirerRequest): Promise<RequestResult> {
  const { method, path, timeoutMs, key, body } = request
  const exchange = async (signal: AbortSignal): Promise<RequestResult> => {
    const response = await pool.request({
      method,
      path: `${prefix}${path}`,
      headers: {
        authorization: `Bearer ${reveal(apiKey)}`,
        accept: 'application/json',
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      body: body ? JSON.stringify(body) : null,
      signal,
    })
    return { stage: 'after', status: response.statusCode, body: parseJson(await response.body.text()) }
  }
  try {
    return await abortAfter(timeoutMs, exchange)
  } catch (error) {
    const reason = errorCode(error)
    const notSent = notSentErrors.has(reason) || isCertificateError(reason)
    return { stage: notSent ? 'before' : 'during', reason }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns an error's code or name only: a parser error contains the bytes that it cannot parse. */
function errorCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}
