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
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return { ...headersOf(policy), 'X-Frame-Options': 'DENY' }
}

/** The headers of the preview of a payment link: it calls nothing, and only pages of this origin show it in a frame. */
export const previewHeaders: Readonly<Record<string, string>> = {
  ...headersOf([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]),
  'X-Frame-Options': 'SAMEORIGIN',
}

function headersOf(policy: string[]): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy.join('; '),
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  }
}
