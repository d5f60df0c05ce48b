import { stripTypeScriptTypes } from 'node:module'
import { relative, sep } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'

/** What c8 counts in a file. */
interface Counted {
  total: number
  covered: number
}

/** The part of `coverage-summary.json` that is read here: counts by absolute path. */
export type CoverageSummary = Record<string, { lines: Counted; branches: Counted }>

/**
 * Formats a line per package with the shares of its lines and branches that ran, the lowest first.
 */
export function coverageTable(summary: CoverageSummary): string {
  const packages = new Map<string, { lines: Counted; branches: Counted }>()
  for (const [path, { lines, branches }] of Object.entries(summary)) {
    const folder = relative(repositoryRoot, path).split(sep).slice(0, 2).join('/')
    const sum = packages.get(folder)
    packages.set(folder, { lines: add(lines, sum?.lines), branches: add(branches, sum?.branches) })
  }
  const rows = [...packages]
    .toSorted(([, a], [, b]) => share(a.lines) - share(b.lines))
    .map(([folder, { lines, branches }]) => `${percent(lines)}  ${percent(branches)}  ${folder}`)
  return ['  lines  branches', ...rows].join('\n')
}

/** Returns the files that no test ran. */
export const unreachedFiles = (summary: CoverageSummary): string[] =>
  Object.entries(summary)

    .filter(([, { lines }]) => lines.covered === 0 && lines.total > 0)
    .map(([path]) => relative(repositoryRoot, path))

/** Returns whether nothing of a source is left to run, because it declares only types. */
export const declaresOnlyTypes = (source: string): boolean =>
  stripTypeScriptTypes(source)
    .replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
    .trim() === ''

const add = (a: Counted, b: Counted = { total: 0, covered: 0 }): Counted => ({
  total: a.total + b.total,
  covered: a.covered + b.covered,
})
const share = ({ total, covered }: Counted) => (total === 0 ? 1 : covered / total)
const percent = (counted: Counted) => `${(share(counted) * 100).toFixed(1).padStart(6)} %`
