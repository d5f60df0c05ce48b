/**
 * Returns the page's headers: nothing inline, no other origin but the merchant's logo, no framing.
 * Helmet lacks Permissions-Policy, joins directives differently, and eight of its headers would be turned off.
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

/** Returns the origin of a URL if its host has no characters that could end a policy directive. */
function safeOrigin(url: string): string | undefined {
  const origin = URL.parse(url)?.origin
  return origin && /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : undefined
}
