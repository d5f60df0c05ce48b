import { ApiError } from '@cobro/contracts'

const cutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const slowCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * Sends a request to a service. A failure becomes what the client is told: 503 where the service cannot be reached, 504 where
 * it is too slow. A read whose connection was cut is sent once `again`: a service that restarts closes the connections that
 * were kept. Anything else is sent once, since part of it may have had its effect.
 */
export async function askUpstream<T>(send: () => Promise<T>, { again }: { again: boolean }): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (again && cutCodes.has(codeOf(error))) return askUpstream(send, { again: false })
    if (error instanceof ApiError) throw error
    throw new ApiError(slowCodes.has(codeOf(error)) ? 'timeout' : 'unavailable', undefined, { cause: error })
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '')
}
