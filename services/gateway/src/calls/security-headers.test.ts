import { securityHeaders } from './security-headers.ts'

/** The headers that helmet sets, with values for a JSON API; pages send a policy of their own. */
const everywhere = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
}

test('returns the security headers of every response', () => {
  expect(Object.fromEntries(securityHeaders('sandbox'))).toEqual(everywhere)
})

test('adds Strict-Transport-Security in production', () => {
  expect(Object.fromEntries(securityHeaders('production'))).toEqual({
    ...everywhere,
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  })
})
