import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { userError } from '../machine/user-error.ts'

/** The kinds of test files, and how the names of their files end. */
const testKinds = {
  unit: '.test.ts',
  integration: '.itest.ts',
  acceptance: '.atest.ts',
  faults: '.ftest.ts',
  load: '.ltest.ts',
} as const
export type TestKind = keyof typeof testKinds

/** Returns all test files, relative to the repository's root. */
export function allTestFiles(): string[] {
  const patterns = Object.values(testKinds).map(suffix => `{packages,services}/*/{src,test}/**/*${suffix}`)
  return globSync(patterns, { cwd: repositoryRoot, exclude: name => name === 'node_modules' || name === 'dist' })
    .map(path => path.split(sep).join('/'))
    .toSorted()
}

/** Returns the files of a kind. */
export const filesOfKind = (files: readonly string[], kind: TestKind) =>
  files.filter(file => file.endsWith(testKinds[kind]))

/**
 * Returns the files that at least one filter selects: the name of a package, such as
 * `@cobro/checkout`, or a part of a path. No filter selects all files. Throws if a filter selects
 * none.
 */
export function filterFiles(files: readonly string[], filters: readonly string[]): string[] {
  const folders = packageFolders()
  const matches = filters.map(filter => {
    const part = folders.get(filter) ?? filter
    return { filter, files: files.filter(file => file.includes(part)) }
  })
  const empty = matches.filter(match => match.files.length === 0).map(match => match.filter)
  if (empty.length > 0) throw userError(`No test file matches ${empty.join(', ')}.`)
  if (filters.length === 0) return [...files]
  const selected = new Set(matches.flatMap(match => match.files))
  return files.filter(file => selected.has(file))
}

/** Returns the folder of each package, such as `services/checkout/` for `@cobro/checkout`. */
function packageFolders(): Map<string, string> {
  const manifests = globSync('{packages,services}/*/package.json', { cwd: repositoryRoot })
  return new Map(
    manifests.map(path => {
      const { name } = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as { name: string }
      return [name, path.split(sep).join('/').replace('package.json', '')]
    }),
  )
}
