import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFromRoot } from './written-queries.ts'

const sources = globSync('{packages,services,deploy}/**/*.{ts,tsx,mjs}', {
  cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  exclude: path => path.includes('node_modules') || path.includes('dist'),
})
const names = new Set(sources.map(path => basename(path)))

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md', 'RUNBOOK.md', 'SECURITY.md'])(
  'finds every source file that %s names',
  document => {
    const named = readFromRoot(document).match(/(?<![*<>\w./-])\w[\w./-]*\.(?:tsx?|mjs)\b/g) ?? []
    expect(named.map(file => basename(file)).filter(name => !names.has(name))).toEqual([])
  },
)
