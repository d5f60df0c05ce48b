import { type Advisory, advisoryViolations } from './audit-packages.ts'

const advisory: Advisory = {
  github_advisory_id: 'GHSA-aaaa-bbbb-cccc',
  module_name: 'amqplib',
  severity: 'high',
  title: 'Reads too much',
  findings: [
    { version: '2.2.1', dev: true },
    { version: '2.2.1', dev: false },
  ],
}
const exception = { id: advisory.github_advisory_id, reason: 'not reachable', until: '2026-06-30' }
const line = 'amqplib@2.2.1 (production, high): GHSA-aaaa-bbbb-cccc, Reads too much'

describe('advisoryViolations', () => {
  test('advisoryViolations names the package, the severity and the advisory', () => {
    expect(advisoryViolations([advisory], [], '2026-06-30')).toEqual([line])
  })

  test('advisoryViolations says if only development uses the package', () => {
    const findings = [{ version: '2.2.1', dev: true }]
    expect(advisoryViolations([{ ...advisory, findings }], [], '2026-06-30')[0]).toContain('(development, high)')
  })

  test('advisoryViolations accepts an advisory with an exception until the end of its last day', () => {
    expect(advisoryViolations([advisory], [exception], '2026-06-30')).toEqual([])
    const expired = advisoryViolations([advisory], [exception], '2026-07-01')
    expect(expired).toEqual([`${line}; its exception ended on 2026-06-30`])
  })

  test('advisoryViolations names an exception whose advisory concerns no package', () => {
    expect(advisoryViolations([], [exception], '2026-06-30')).toEqual([
      'GHSA-aaaa-bbbb-cccc: no package needs this exception any more',
    ])
  })
})
