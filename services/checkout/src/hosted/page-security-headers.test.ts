import { pageSecurityHeaders } from './page-security-headers.ts'

const policy = (logo?: string) => pageSecurityHeaders(logo)['Content-Security-Policy']

test('allows nothing inline and no frame', () => {
  expect(policy()).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ")
  expect(policy()).toContain("frame-ancestors 'none'")
  expect(policy()).not.toContain('unsafe')
})

test("allows the logo's origin and no more of its address", () => {
  expect(policy('https://cdn.shop.mx/logo.png?x=1;script-src *')).toContain("img-src 'self' https://cdn.shop.mx;")
})

test.each(['https://x;script-src-elem/l.png', 'https://x,y/l.png', 'https://[::1]/l.png', 'http://cdn.shop.mx/l.png'])(
  'lets no logo at %s change the policy',
  logo => {
    expect(policy(logo)).toBe(policy())
  },
)
