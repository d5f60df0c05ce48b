/**
 * Returns the headers of the payer's page: nothing inline, nothing from other origins but the merchant's logo, never in a frame.
 * Not by helmet: it has no Permissions-Policy, joins directives in another format, and eight of its headers would be turned off.
 */
export function pageSecurityHeaders(logoUrl: string | null | undefined): Record<string, string> {
  const logo = logoUrl && safeOrigin(logoUrl)
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': logo ? `'self' ${logo}` : "'self'",
    'connect-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  }
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  }
}

/** Returns the origin of a URL if it is safe in a policy: a URL's host may contain characters that end the directive. */
function safeOrigin(url: string): string | undefined {
  const origin = URL.parse(url)?.origin
  return origin && /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : undefined
}
