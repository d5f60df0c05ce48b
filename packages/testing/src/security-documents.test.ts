import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../../../', import.meta.url)
const documents = ['SECURITY.md', 'docs/threat-model.md', 'docs/asvs.md']
const text = (document: string) => readFileSync(new URL(document, root), 'utf8')
/** Paths in backticks, as in `services/gateway/test/cors.itest.ts`. */
const pathsIn = (document: string) =>
  [...text(document).matchAll(/`((?:packages|services|deploy|docs|lint)\/[^`\s]+|[\w-]+\.(?:md|yaml|yml))`/g)].map(
    ([, path]) => path!,
  )

test.each(documents)('each path that %s names exists', document => {
  const paths = pathsIn(document)
  expect(paths.filter(path => !existsSync(new URL(path, root)))).toEqual([])
})

test('the threat model and the ASVS table name tests', () => {
  for (const document of documents.slice(1)) {
    const tests = pathsIn(document).filter(path => /\.(test|itest|atest|ftest|ltest)\.ts$/.test(path))
    expect(tests.length).toBeGreaterThan(20)
  }
})

test.each(documents)('each link of %s leads to a file', document => {
  const links = [...text(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link!)
  expect(links.filter(link => !existsSync(new URL(link, new URL(document, root))))).toEqual([])
})

test('each boundary of the threat model has a row for each letter of STRIDE', () => {
  const boundaries = text('docs/threat-model.md').split(/^### /m).slice(1)
  expect(boundaries.length).toBeGreaterThanOrEqual(10)
  for (const boundary of boundaries) {
    const letters = [...boundary.matchAll(/^\| ([STRIDE]) +\|/gm)].map(([, letter]) => letter)
    expect([...new Set(letters)].join('')).toBe('STRIDE')
  }
})
