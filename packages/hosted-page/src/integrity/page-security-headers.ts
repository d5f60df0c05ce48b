interface PageHeaderInput {
  /** The merchant's logo, whose origin may supply images. */
  logoUrl?: string | null | undefined
  /** Whether the page is served over https. */
  secure: boolean
}

/** Where browsers send reports of violations: the path of the operation `reportPolicyViolations`. */
const reportPath = '/hosted/v1/csp-reports'

/**
 * Returns the page's headers: nothing inline, no other origin but the merchant's logo, no framing, no scripts from text, no
 * script without an `integrity`. Over http, Chromium ignores `Reporting-Endpoints`, and `report-to` would turn off `report-uri`.
 * Helmet lacks Permissions-Policy, joins directives differently, and eight of its headers would be turned off.
 */
export function pageSecurityHeaders({ logoUrl, secure }: PageHeaderInput): Record<string, string> {
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
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
    'report-uri': reportPath,
    ...(secure && { 'report-to': 'csp' }),
  }
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, value]) => `${name} ${value}`)
      .join('; '),
    'Integrity-Policy': `blocked-destinations=(script)${secure ? ', endpoints=(csp)' : ''}`,
    ...(secure && { 'Reporting-Endpoints': `csp="${reportPath}"` }),
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
