import type { Environment } from '@cobro/runtime'

/**
 * The security headers of every response; pages override the content policy. They are helmet's
 * headers, but written by hand: responses on raw sockets (CONNECT, unparsable requests) need them as a list,
 * `Cache-Control` is not among helmet's, and helmet would write the content policy differently on the wire.
 */
export function securityHeaders(environment: Environment): [name: string, value: string][] {
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
    // Turns off the XSS filter of old browsers, which itself could be used to attack a page.
    ['X-XSS-Protection', '0'],
    ...(environment === 'production'
      ? [['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'] as [string, string]]
      : []),
  ]
}
