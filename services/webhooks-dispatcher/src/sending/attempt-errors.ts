/**
 * Why an attempt got no status code, by the error's name or code. The API shows these codes.
 * It also shows `internal_error`, and `unknown` if the sender died before it recorded whether the webhook arrived.
 */
const codesByPattern: [RegExp, string][] = [
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

/** Returns our error code for a failed request, independent of the library that threw the error. */
export function errorCodeOf(error: unknown): string {
  const labels = labelsOf(error)
  return codesByPattern.find(([pattern]) => labels.some(label => pattern.test(label)))?.[1] ?? 'internal_error'
}

/** Returns an error's names and codes, including those of the errors for a host's addresses. */
function labelsOf(error: unknown): string[] {
  const { name, code, errors } = (error ?? {}) as { name?: unknown; code?: unknown; errors?: unknown }
  return [String(name), String(code), ...(Array.isArray(errors) ? errors.flatMap(labelsOf) : [])]
}
