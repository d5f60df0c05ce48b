import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'

const program = ['--conditions=cobro-source', join(import.meta.dirname, '../src/main.ts')]

const { CI: _ci, GITHUB_REPOSITORY: _github, CI_PROJECT_URL: _gitlab, ...env } = process.env

test.each<[string, string, RegExp, NodeJS.ProcessEnv?]>([
  ['a release without a version', 'release', /^npm run release -- --version <version> /],
  ['a rehearsal that pushes', 'release --version 1.0.0 --push --rehearsal', /^A rehearsal is not pushed\.\n$/],
  ['an unknown image', 'release --version 1.0.0 --image gate', /^Unknown image gate: expected one of gateway, /],
  ['packages without a tag or a dry run', 'release-packages', /^npm run release:packages -- --dry-run /],
  [
    'packages without tests',
    'release-packages --tag sdk-v0.1.0 --without-tests',
    /^Packages are published with tests only\.\n$/,
  ],
  ['a tag of no package', 'release-packages --dry-run --tag v0.1.0', /^Unknown tag v0\.1\.0: expected sdk-v or cli-v /],
  [
    'packages outside of CI',
    'release-packages --tag sdk-v0.1.0',
    /^Packages are published from CI alone\. Here, use --dry-run\.\n$/,
  ],
  [
    'packages on a machine where CI is false',
    'release-packages --tag sdk-v0.1.0',
    /^Packages are published from CI alone\. Here, use --dry-run\.\n$/,
    { CI: 'false' },
  ],
  [
    'packages in a CI that does not name the repository',
    'release-packages --tag sdk-v0.1.0',
    /^CI does not name the repository: expected GITHUB_SERVER_URL and GITHUB_REPOSITORY, or CI_PROJECT_URL\.\n$/,
    { CI: 'true' },
  ],
  ['a preparation as a dry run', 'release-packages --prepare --dry-run', /^npm run release:packages -- --dry-run /],
  ['a preparation of a tag', 'release-packages --prepare --tag sdk-v0.1.0', /^npm run release:packages -- --dry-run /],
  [
    'an unknown command',
    'constructor',
    /^Unknown command constructor: expected one of advisories, lint, release, release-packages, sbom\.\n$/,
  ],
])('rejects %s before it builds anything', async (_, line, stderr, ci = {}) => {
  const { code, stderr: printed } = await runCommand(process.execPath, [...program, ...line.split(' ')], {
    env: { ...env, ...ci },
  })
  expect([code, printed]).toEqual([1, expect.stringMatching(stderr)])
})
