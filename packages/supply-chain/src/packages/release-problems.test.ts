import { type ReleaseFacts, releaseProblems } from './release-problems.ts'

const description = { openapi: '3.1.0', info: { title: 'Cobro API', version: '1.0.0' }, paths: { '/api/me': {} } }
const ready: ReleaseFacts = {
  version: '0.2.0',
  versions: new Map([['packages/sdk/package.json', '0.2.0']]),
  changelog: '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n',
  description,
  released: { ...description, info: { title: 'Cobro API', 'x-commit': 'abc', version: '1.0.0' } },
  acceptedChanges: [],
  changes: '',
  tag: { name: 'sdk-v0.2.0', version: '0.2.0', tagsOfCommit: ['cli-v0.2.0', 'sdk-v0.2.0'] },
}

test('a tagged commit with its version, changelog and description may be published', () => {
  expect(releaseProblems(ready)).toEqual([])
  expect(releaseProblems({ ...ready, tag: undefined })).toEqual([])
})

test.each<[string, Partial<ReleaseFacts>, string]>([
  ['a tree with changes', { changes: ' M README.md' }, 'The tree has changes: commit them first.'],
  [
    'a version that differs',
    { versions: new Map([['packages/sdk/package.json', '0.1.0']]) },
    'packages/sdk/package.json has version 0.1.0, the project 0.2.0.',
  ],
  [
    'a changelog without the version',
    { changelog: '## [Unreleased]\n\nAs in 0.2.0\n## [0.2.01]\n' },
    'CHANGELOG.md has no entry "## [0.2.0]".',
  ],
  [
    'a description that was not stored',
    { released: undefined },
    'releases/0.2.0.json is missing: run npm run release:packages -- --prepare.',
  ],
  [
    'an API that has changed since the release of this version',
    { description: { ...description, info: { ...description.info, summary: 'New' } } },
    'openapi.json differs from releases/0.2.0.json: a release has this version already. Raise the version.',
  ],
  [
    'changes that were accepted for an earlier release',
    { acceptedChanges: [{}] },
    'releases/accepted-changes.json is not empty after the release.',
  ],
  [
    'a tag of another version',
    { tag: { name: 'sdk-v0.3.0', version: '0.3.0', tagsOfCommit: ['sdk-v0.3.0'] } },
    'The tag sdk-v0.3.0 is not that of version 0.2.0.',
  ],
  [
    'a tag of another commit',
    { tag: { name: 'sdk-v0.2.0', version: '0.2.0', tagsOfCommit: [] } },
    'The tag sdk-v0.2.0 is not on this commit.',
  ],
])('a release is rejected for %s', (_what, change, problem) => {
  expect(releaseProblems({ ...ready, ...change })).toEqual([problem])
})
