import type { Stack } from '@cobro/local-stack'
import { checkContract } from './contract-check.ts'

/** Less than the five minutes for which a login is fresh. */
const freshMs = 240_000

/** A response with its parsed body. */
export interface ApiResponse {
  status: number
  headers: Headers
  /** The body as it was sent; empty for a stream, which may be endless. */
  text: string
  body: any
}

/** Calls the gateway as one caller. Records the request id of every call. */
export interface ApiClient {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  requestIds: string[]
}

/**
 * Creates a client. `headers` are those of every call, or return those of the next one. It validates every answer against the API
 * description.
 */
export function apiClient(
  baseUrl: string,
  headers: Record<string, string> | (() => Promise<Record<string, string>>) = {},
): ApiClient {
  const requestIds: string[] = []
  return {
    requestIds,
    call: async (method, path, sent, more = {}) => {
      const json: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers: { ...(typeof headers === 'function' ? await headers() : headers), ...json, ...more },
        ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
      })
      requestIds.push(response.headers.get('x-request-id') ?? 'none')
      const type = response.headers.get('content-type') ?? ''
      const text = type.startsWith('text/event-stream') ? '' : await response.text()
      if (!response.bodyUsed) await response.body?.cancel()
      const body = type.startsWith('application/json') ? JSON.parse(text) : undefined
      const answer = { status: response.status, headers: response.headers, text, body }
      await checkContract(baseUrl, { method, path, ...answer })
      return answer
    },
  }
}

/** Returns a client of a user, which logs in again before its login is too old for operations that need a fresh one. */
export async function userClient(baseUrl: string, account: { email: string; password: string }): Promise<ApiClient> {
  let login: { authorization: string; atMs: number } | undefined
  const logIn = async () => {
    const atMs = Date.now()
    const { email, password } = account
    const { body } = await apiClient(baseUrl).call('POST', '/api/auth/login', { email, password })
    login = { authorization: `Bearer ${body.token}`, atMs }
    return login
  }
  const current = async () => (login && Date.now() - login.atMs < freshMs ? login : logIn())
  await current()
  return apiClient(baseUrl, async () => ({ authorization: (await current()).authorization }))
}

/** The clients of a seeded stack: both merchants' keys, a user of each kind, and the payer. */
export async function clientsOf(stack: Stack) {
  const { base_url } = stack
  return {
    merchant: apiClient(base_url, { authorization: `Token ${stack.api_key}` }),
    stranger: apiClient(base_url, { 'x-api-key': stack.second.api_key }),
    operator: await userClient(base_url, stack.operator),
    client: await userClient(base_url, stack.client),
    payer: apiClient(base_url),
  }
}
