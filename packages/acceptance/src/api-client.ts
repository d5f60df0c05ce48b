import type { Stack } from '@cobro/local-stack'
import { checkContract } from './contract-check.ts'

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

/** Creates a client with fixed headers. It validates every answer against the API description. */
export function apiClient(baseUrl: string, headers: Record<string, string> = {}): ApiClient {
  const requestIds: string[] = []
  return {
    requestIds,
    call: async (method, path, sent, more = {}) => {
      const json: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
      const response = await fetch(new URL(path, baseUrl), {
        method,
        headers: { ...headers, ...json, ...more },
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

/** The clients of a seeded stack: both merchants' keys, a user of each kind, and the payer. */
export async function clientsOf(stack: Stack) {
  const { base_url } = stack
  const logIn = async (account: { email: string; password: string }) => {
    const { body } = await apiClient(base_url).call('POST', '/api/auth/login', account)
    return { authorization: `Bearer ${body.token}` }
  }
  return {
    merchant: apiClient(base_url, { authorization: `Token ${stack.api_key}` }),
    stranger: apiClient(base_url, { 'x-api-key': stack.second.api_key }),
    operator: apiClient(base_url, await logIn(stack.operator)),
    client: apiClient(base_url, await logIn(stack.client)),
    payer: apiClient(base_url),
  }
}
