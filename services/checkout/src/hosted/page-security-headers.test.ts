import { pageSecurityHeaders } from './page-security-headers.ts'

const policy = (logo?: string) => pageSecurityHeaders(logo)['Content-Security-Policy']

test('the page’s policy allows no inline content and no frames', () => {
  expect(policy()).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ")
  expect(policy()).toContain("frame-ancestors 'none'")
  expect(policy()).not.toContain('unsafe')
})

test('the page’s policy allows the origin of the logo and not its path', () => {
  expect(policy('https://cdn.shop.mx/logo.png?x=1;script-src *')).toContain("img-src 'self' https://cdn.shop.mx;")
})

test.each(['https://x;script-src-elem/l.png', 'https://x,y/l.png', 'https://[::1]/l.png', 'http://cdn.shop.mx/l.png'])(
  'the page’s policy ignores the unsafe logo URL %s',
  logo => {
    expect(policy(logo)).toBe(policy())
  },
)
