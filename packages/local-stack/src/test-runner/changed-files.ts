import { spawnSync } from 'node:child_process'
import { repositoryRoot } from '../layout/stack-paths.ts'
import { userError } from '../machine/user-error.ts'

/**
 * Returns the files that differ from the main branch, also uncommitted and new ones, relative to
 * the repository's root.
 */
export function changedFiles(): string[] {
  const base = ['origin/main', 'main'].map(branch => git('merge-base', 'HEAD', branch)).find(found => found.ok)
  if (!base) throw userError('--changed compares with the branch main, which does not exist here.')
  const lists = [git('diff', '--name-only', base.output), git('ls-files', '--others', '--exclude-standard')]
  const names = lists.flatMap(({ output }) => output.split('\n')).filter(Boolean)
  if (names.length === 0) throw userError('No file differs from the main branch.')
  return names
}

function git(...args: string[]) {
  const { status, stdout } = spawnSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' })
  return { ok: status === 0, output: (stdout ?? '').trim() }
}
