/**
 * What every answer says about itself unless its route knows better (the payer's page brings its own policy): JSON is no
 * page, is kept nowhere, and in production is to be had over TLS alone.
 */
export function securityHeaders(environment: 'sandbox' | 'production'): [name: string, value: string][] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
    ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
    ['X-Frame-Options', 'DENY'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Origin-Agent-Cluster', '?1'],
    ['X-DNS-Prefetch-Control', 'off'],
    ['X-Download-Options', 'noopen'],
    ['X-Permitted-Cross-Domain-Policies', 'none'],
    // The filter of old browsers that this switches off could be turned against a page.
    ['X-XSS-Protection', '0'],
    ...(environment === 'production'
      ? [['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as [string, string]]
      : []),
  ]
}
