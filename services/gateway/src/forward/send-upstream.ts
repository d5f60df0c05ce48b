import { ApiError } from '@cobro/contracts'

const cutCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const slowCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * Sends a request to a service. A failure becomes what the client is told: 503 where the service cannot be reached, 504 where
 * it is too slow, or went away after a change was sent to it, so that nobody knows whether it was made. A read whose
 * connection was cut is sent once more: a service that restarts closes the connections that were kept. Anything else is
 * sent once, since part of it may have had its effect.
 */
export async function sendUpstream<T>(send: () => Promise<T>, { reads }: { reads: boolean }): Promise<T> {
  const told = (error: unknown) => (error instanceof ApiError ? error : answerFor(error, reads))
  try {
    return await send()
  } catch (error) {
    if (!reads || !cutCodes.has(codeOf(error))) throw told(error)
  }
  return send().catch(error => {
    throw told(error)
  })
}

function answerFor(error: unknown, reads: boolean): ApiError {
  const code = codeOf(error)
  const unclear = slowCodes.has(code) || (!reads && cutCodes.has(code))
  return new ApiError(unclear ? 'timeout' : 'unavailable', undefined, { cause: error })
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? '')
}
