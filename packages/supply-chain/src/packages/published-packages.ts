/** A package that is published to the registry of npm. */
export interface PublishedPackage {
  /** The part of its tag before `-v`. */
  name: string
  /** Its folder, from the root of the repository. */
  folder: string
  /** The file whose constant `version` it sends or prints. */
  versionFile: string
}

/** The packages that are published. */
export const publishedPackages: readonly PublishedPackage[] = [
  { name: 'sdk', folder: 'packages/sdk', versionFile: 'packages/sdk/src/transport/version.ts' },
  { name: 'cli', folder: 'packages/cli', versionFile: 'packages/cli/src/version.ts' },
]
