import { ApiError } from '@cobro/contracts'

const connectionCutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * Sends a request to a service. Throws a 503 if the service is unreachable, and a 504 if it times
 * out or closes the connection during a change, whose outcome is then unknown. A read whose connection was cut is sent
 * once more, because a restarting service closes its idle connections. A change is never sent twice.
 */
export async function sendUpstream<T>(send: () => Promise<T>, { reads }: { reads: boolean }): Promise<T> {
  const toApiError = (error: unknown) => (error instanceof ApiError ? error : errorFor(error, reads))
  try {
    return await send()
  } catch (error) {
    if (!reads || !connectionCutCodes.has(codeOf(error))) throw toApiError(error)
  }
  return send().catch(error => {
    throw toApiError(error)
  })
}

function errorFor(error: unknown, reads: boolean): ApiError {
  const code = codeOf(error)
  const unclear = timeoutCodes.has(code) || (!reads && connectionCutCodes.has(code))
  return new ApiError(unclear ? 'timeout' : 'unavailable', undefined, { cause: error })
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '')
}
