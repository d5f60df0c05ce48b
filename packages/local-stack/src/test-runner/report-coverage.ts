import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { type CoverageSummary, coverageTable, declaresOnlyTypes, unreachedFiles } from './coverage-table.ts'

/**
 * Prints which share of each package ran, from what Node wrote into `directory` for each process of
 * the tests.
 */
export function reportCoverage(directory: string): void {
  const reports = join(directory, 'report')
  const args = [
    'report',
    `--temp-directory=${directory}`,
    `--reports-dir=${reports}`,
    '--reporter=json-summary',
    '--merge-async',
    '--all',
    '--extension=.ts',
    '--include=packages/*/src/**',
    '--include=services/*/src/**',
    '--exclude=**/*.test.ts',
  ]
  // Node must not record the coverage of c8 itself.
  const env = { ...process.env, NODE_V8_COVERAGE: undefined }
  const { status } = spawnSync('c8', args, { cwd: repositoryRoot, env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error('c8 could not report the coverage.')
  const files = JSON.parse(readFileSync(join(reports, 'coverage-summary.json'), 'utf8')) as CoverageSummary
  const runs = ([path]: [string, unknown]) => path !== 'total' && !declaresOnlyTypes(readFileSync(path, 'utf8'))
  const summary = Object.fromEntries(Object.entries(files).filter(runs))
  console.log(
    ['', 'Coverage', coverageTable(summary), '', 'Files that no test ran', ...unreachedFiles(summary)].join('\n'),
  )
}
