/** Why an attempt got no status, as deliveries show it. */
export type AttemptError =
  | 'timeout'
  | 'connect_timeout'
  | 'name_unknown'
  | 'address_refused'
  | 'connection_refused'
  | 'connection_reset'
  | 'unreachable'
  | 'tls_failed'
  | 'response_unreadable'
  | 'internal_error'
  /** The sender ended before it could note the result: the receiver may have got it or not. */
  | 'unknown'

const byMark: [RegExp, AttemptError][] = [
  [/^(TimeoutError|UND_ERR_(HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^ADDRESS_REFUSED$/, 'address_refused'],
  [/^(NAME_UNKNOWN|ENOTFOUND|EAI_\w+)$/, 'name_unknown'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/, 'tls_failed'],
  [/^(HTTPParserError|UND_ERR_HEADERS_OVERFLOW|UND_ERR_INVALID_RETURN_VALUE)$/, 'response_unreadable'],
]

/** Puts a failed request into one of our words. The words stay the same whatever library throws them. */
export function errorCodeOf(error: unknown): AttemptError {
  const marks = marksOf(error)
  return byMark.find(([pattern]) => marks.some(mark => pattern.test(mark)))?.[1] ?? 'internal_error'
}

/** The names and codes of an error. A host with several addresses fails with one error for all of them. */
function marksOf(error: unknown): string[] {
  const { name, code, errors } = (error ?? {}) as { name?: unknown; code?: unknown; errors?: unknown }
  return [String(name), String(code), ...(Array.isArray(errors) ? errors.flatMap(marksOf) : [])]
}
