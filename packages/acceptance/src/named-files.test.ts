import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFromRoot } from './written-queries.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const exclude = (path: string) => path.includes('node_modules') || path.includes('dist')
const sources = globSync('{packages,services,deploy}/**/*.{ts,tsx,mjs}', { cwd: root, exclude })
const documents = globSync(['*.md', 'docs/**/*.md', '{packages,services,deploy}/*/README.md'], { cwd: root }).sort()

/** A path that starts like this is relative to the package or service of its document. */
const inPackage = /^(?:\.\.?|src|test|migrations)\//

/** Returns whether a source file's path ends with the name; `src/…` is relative to the document. */
function isSource(named: string, document: string): boolean {
  const owner = dirname(document)
  if (owner !== '.' && inPackage.test(named)) return sources.includes(join(owner, named))
  return sources.some(path => path === named || path.endsWith(`/${named}`))
}

/** Returns whether a relative link leads to a file or folder, and its anchor to a heading in it. */
function leadsSomewhere(link: string, document: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(root, target))) return false
  if (anchor === undefined) return true
  const text = target.endsWith('.md') ? target : join(target, 'README.md')
  return existsSync(join(root, text)) && anchorsOf(text).includes(anchor)
}

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(document: string): string[] {
  const headings = [...readFromRoot(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('reads the documents of the root, of every package and of every service', () => {
  for (const name of ['README.md', 'RUNBOOK.md', 'packages/service/README.md', 'services/transactions/README.md'])
    expect(documents).toContain(name)
})

test.each(documents)('finds every source file that %s names', document => {
  const named = readFromRoot(document).match(/(?<![*<>\w./-])(?:\.\.?\/)*\w[\w./-]*\.(?:tsx?|mjs)\b/g) ?? []
  expect(named.filter(file => !isSource(file, document))).toEqual([])
})

test.each(documents)('finds the target of every link of %s', document => {
  const links = [...readFromRoot(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const relative = links.filter(link => !/^[a-z]+:/.test(link))
  expect(relative.filter(link => !leadsSomewhere(link, document))).toEqual([])
})

test.each([
  ['main.ts', 'README.md', true],
  ['src/main.ts', 'services/gateway/README.md', true],
  ['src/charges/charge-payment.ts', 'services/gateway/README.md', false],
  ['charges/charge-payment.ts', 'ARCHITECTURE.md', true],
  ['refunds/charge-payment.ts', 'ARCHITECTURE.md', false],
])('the source file %s, named in %s, exists: %s', (named, document, expected) => {
  expect(isSource(named, document)).toBe(expected)
})

test.each([
  ['#calls', true],
  ['#no-such-heading', false],
  ['deploy/docker#maintenance-commands', true],
  ['deploy/nowhere', false],
])('the link %s of the runbook leads somewhere: %s', (link, expected) => {
  expect(leadsSomewhere(link, 'RUNBOOK.md')).toBe(expected)
})
