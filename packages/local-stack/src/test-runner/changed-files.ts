import { spawnSync } from 'node:child_process'
import { userError } from '../machine/user-error.ts'

/**
 * Returns the files of the repository at `root` that differ from its main branch, also uncommitted
 * and new ones, relative to `root`.
 */
export function changedFiles(root: string): string[] {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
    return { ok: status === 0, output: (stdout ?? '').trim() }
  }
  const base = ['origin/main', 'main'].map(branch => git('merge-base', 'HEAD', branch)).find(found => found.ok)
  if (!base) throw userError('--changed compares with the branch main, which does not exist here.')
  const lists = [git('diff', '--name-only', base.output), git('ls-files', '--others', '--exclude-standard')]
  const names = lists.flatMap(({ output }) => output.split('\n')).filter(Boolean)
  if (names.length === 0) throw userError('No file differs from the main branch.')
  return names
}
