const certificateErrors =
  /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$|ERR_TLS_CERT_ALTNAME_INVALID$)/

/** Returns whether an error code says that a server's certificate was rejected, so that nothing was sent. */
export function isCertificateError(code: unknown): boolean {
  return typeof code === 'string' && certificateErrors.test(code)
}
