import type { Component, Sbom } from '../sbom/cyclonedx.ts'
import { licenseViolations } from './licenses.ts'

const sbomOf = (...components: Partial<Component>[]) => ({ components }) as Sbom
const mit = { name: 'zod', version: '4.0.0', licenses: [{ license: { id: 'MIT' } }] }
const gpl = { name: 'copyleft', group: '@a', version: '1.2.3', licenses: [{ license: { id: 'GPL-3.0-only' } }] }
const exception = { name: '@a/copyleft', license: 'GPL-3.0-only', reason: 'a test' }

describe('licenseViolations', () => {
  test('licenseViolations accepts packages with allowed licenses', () => {
    expect(licenseViolations([sbomOf(mit)], [])).toEqual([])
  })

  test('licenseViolations names each package with another license once', () => {
    expect(licenseViolations([sbomOf(mit, gpl), sbomOf(gpl)], [])).toEqual([
      '@a/copyleft@1.2.3: GPL-3.0-only is not an allowed license',
    ])
  })

  test.each([
    ['no license', {}],
    ['no license', { licenses: [] }],
    ['SEE LICENSE IN LICENSE.md', { licenses: [{ license: { name: 'SEE LICENSE IN LICENSE.md' } }] }],
    ['MIT OR GPL-2.0-only', { licenses: [{ expression: 'MIT OR GPL-2.0-only' }] }],
    ['MIT, GPL-2.0-only', { licenses: [{ license: { id: 'MIT' } }, { license: { id: 'GPL-2.0-only' } }] }],
  ])('licenseViolations rejects a package with %s', (license, fields) => {
    const violations = licenseViolations([sbomOf({ name: 'odd', version: '1.0.0', ...fields })], [])
    expect(violations).toEqual([`odd@1.0.0: ${license} is not an allowed license`])
  })

  test('licenseViolations accepts a package with an exception for its license only', () => {
    expect(licenseViolations([sbomOf(gpl)], [exception])).toEqual([])
    expect(licenseViolations([sbomOf(gpl)], [{ ...exception, license: 'Unlicense' }])).toHaveLength(1)
  })

  test('licenseViolations names exceptions that no package needs', () => {
    const violations = licenseViolations([sbomOf(mit)], [exception])
    expect(violations).toEqual(['@a/copyleft: no package needs this exception any more'])
  })
})
