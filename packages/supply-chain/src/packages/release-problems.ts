import { isDeepStrictEqual } from 'node:util'

/** An OpenAPI description, as far as a release looks at it. */
interface ApiDescription {
  info: Record<string, unknown>
}

/** What decides whether packages may be published from a checkout. */
export interface ReleaseFacts {
  /** The version of the project. */
  version: string
  /** Other places that name the version, with what they name. */
  versions: ReadonlyMap<string, string | undefined>
  changelog: string
  description: ApiDescription
  /** `releases/<version>.json`; undefined if it does not exist. */
  released: ApiDescription | undefined
  /** `releases/accepted-changes.json`. */
  acceptedChanges: readonly unknown[]
  /** What `git status --porcelain` prints. */
  changes: string
  /** The tag that is to be published; undefined in a dry run without one. */
  tag?: { name: string; version: string; tagsOfCommit: readonly string[] }
}

/** Returns why packages may not be published, one sentence each. */
export function releaseProblems(facts: ReleaseFacts): string[] {
  const { version, versions, changelog, changes } = facts
  const file = `releases/${version}.json`
  const differing = [...versions].filter(([, other]) => other !== version)
  return [
    ...(changes ? ['The tree has changes: commit them first.'] : []),
    ...differing.map(([place, other]) => `${place} has version ${other}, the project ${version}.`),
    ...(changelog.split('\n').some(line => line.startsWith(`## [${version}]`))
      ? []
      : [`CHANGELOG.md has no entry "## [${version}]".`]),
    ...descriptionProblems(file, facts),
    ...tagProblems(facts),
  ]
}

function descriptionProblems(file: string, { released, description, acceptedChanges }: ReleaseFacts): string[] {
  if (!released) return [`${file} is missing: run npm run release:packages -- --prepare.`]
  if (!isDeepStrictEqual(withoutCommit(released), withoutCommit(description)))
    return [`openapi.json differs from ${file}: a release has this version already. Raise the version.`]
  return acceptedChanges.length > 0 ? ['releases/accepted-changes.json is not empty after the release.'] : []
}

function tagProblems({ version, tag }: ReleaseFacts): string[] {
  if (!tag) return []
  return [
    ...(tag.version === version ? [] : [`The tag ${tag.name} is not that of version ${version}.`]),
    ...(tag.tagsOfCommit.includes(tag.name) ? [] : [`The tag ${tag.name} is not on this commit.`]),
  ]
}

function withoutCommit({ info, ...rest }: ApiDescription): object {
  const { 'x-commit': _commit, ...others } = info
  return { ...rest, info: others }
}
