import { type Component, fullName, nameAndVersion, type Sbom } from '../sbom/cyclonedx.ts'
import type { LicenseException } from './exceptions.ts'

/** SPDX ids of licenses that allow us to ship a package, without asking that we publish our code. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'CC-BY-3.0',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
])

/**
 * Returns a line for each package of these documents whose license is not allowed, and for each
 * exception that no package needs. An expression such as `MIT OR GPL-2.0` needs an exception.
 */
export function licenseViolations(sboms: readonly Sbom[], exceptions: readonly LicenseException[]): string[] {
  const packages = new Map(
    sboms.flatMap(({ components }) => components.map(one => [nameAndVersion(one), one] as const)),
  )
  const rejected = [...packages.values()].filter(one => !licensesOf(one).every(license => allowed.has(license)))
  const excepted = (one: Component) =>
    exceptions.some(({ name, license }) => name === fullName(one) && license === licensesOf(one).join(', '))
  return [
    ...rejected
      .filter(one => !excepted(one))
      .map(one => `${nameAndVersion(one)}: ${licensesOf(one).join(', ')} is not an allowed license`),
    ...exceptions
      .filter(({ name }) => !rejected.some(one => fullName(one) === name))
      .map(({ name }) => `${name}: no package needs this exception any more`),
  ].toSorted()
}

/** Returns the licenses of a package: SPDX ids, expressions and other names. */
function licensesOf({ licenses = [] }: Component): string[] {
  if (licenses.length === 0) return ['no license']
  return licenses.map(one => {
    if ('expression' in one) return one.expression
    return 'id' in one.license ? one.license.id : one.license.name
  })
}
