import { join } from 'node:path'
import { runCommand } from '@cobro/local-stack/run-command'

const program = ['--conditions=cobro-source', join(import.meta.dirname, '../src/main.ts')]

test.each([
  ['a release without a version', 'release', /^npm run release -- --version <version> /],
  ['a rehearsal that pushes', 'release --version 1.0.0 --push --rehearsal', /^A rehearsal is not pushed\.\n$/],
  ['an unknown image', 'release --version 1.0.0 --image gate', /^Unknown image gate: expected one of gateway, /],
  [
    'an unknown command',
    'constructor',
    /^Unknown command constructor: expected one of advisories, lint, release, sbom\.\n$/,
  ],
])('rejects %s before it builds anything', async (_, line, stderr) => {
  const { code, stderr: printed } = await runCommand(process.execPath, [...program, ...line.split(' ')])
  expect([code, printed]).toEqual([1, expect.stringMatching(stderr)])
})
