/**
 * Returns the headers of the dashboard's page: no other origin, no framing, no scripts but its own and none from text, no styles
 * but its own and those that its library of controls adds with the nonce.
 */
export function dashboardHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy.join('; '),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
}
