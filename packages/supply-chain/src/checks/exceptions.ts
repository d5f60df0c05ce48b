/** A package that may be shipped although its license is not in the list of allowed ones. */
export interface LicenseException {
  name: string
  /** As the check prints it. */
  license: string
  reason: string
}

/** An advisory that does not fail the check until a day. */
export interface AdvisoryException {
  /** As in `GHSA-xxxx-xxxx-xxxx`. */
  id: string
  reason: string
  /** The last day of the exception, as `2026-12-31`. */
  until: string
}

export const licenseExceptions: readonly LicenseException[] = [
  {
    name: 'ssh2',
    license: 'no license',
    reason: 'MIT, in the old form of package.json that pnpm does not read. Only the image setup contains it.',
  },
  {
    name: 'tweetnacl',
    license: 'Unlicense',
    reason: 'Dedicated to the public domain. Only the image setup contains it.',
  },
]

export const advisoryExceptions: readonly AdvisoryException[] = []
