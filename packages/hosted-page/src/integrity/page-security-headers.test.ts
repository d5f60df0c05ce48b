import { policyReportOperations } from '@cobro/contracts'
import { pageSecurityHeaders } from './page-security-headers.ts'

const policy = (logoUrl?: string) => pageSecurityHeaders({ logoUrl, secure: true })['Content-Security-Policy']

test('the page’s policy allows no inline content, no scripts from text and no frames', () => {
  expect(policy()).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ")
  expect(policy()).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
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

test('browsers report violations to the operation that records them, in the older and the newer way', () => {
  const { path } = policyReportOperations.report
  const headers = pageSecurityHeaders({ secure: true })
  expect(headers['Content-Security-Policy']).toMatch(new RegExp(`; report-uri ${path}; report-to csp$`))
  expect(headers['Reporting-Endpoints']).toBe(`csp="${path}"`)
  expect(headers['Integrity-Policy']).toBe('blocked-destinations=(script), endpoints=(csp)')
})

test('a page without TLS asks for reports in the older way only, because the newer one needs https', () => {
  const headers = pageSecurityHeaders({ secure: false })
  expect(headers['Content-Security-Policy']).toMatch(/; report-uri [\w/-]+$/)
  expect(headers['Reporting-Endpoints']).toBeUndefined()
  expect(headers['Integrity-Policy']).toBe('blocked-destinations=(script)')
})
