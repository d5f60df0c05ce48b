/** The headers of the payer's page: nothing inline, nothing from strangers but the merchant's logo, never in a frame. */
export function pageSecurityHeaders(logoUrl: string | undefined): Record<string, string> {
  const logo = logoUrl && plainOrigin(logoUrl)
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

/** The origin of an address, where it is one that a policy can name: a host may hold characters that would end the directive. */
function plainOrigin(address: string): string | undefined {
  const origin = URL.parse(address)?.origin
  return origin && /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : undefined
}
