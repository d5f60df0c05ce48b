import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../src/machine/run-command.ts'
import { changedFiles } from '../src/test-runner/changed-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cobro-changes-'))
})
afterEach(() => rm(root, { recursive: true }))

async function git(...args: string[]) {
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com']
  expect(await runCommand('git', [...identity, ...args], { cwd: root })).toMatchObject({ code: 0 })
}

test('changedFiles returns committed, changed and new files that differ from main', async () => {
  await git('init', '--quiet', '--initial-branch=main')
  for (const name of ['same.ts', 'changed.ts', '.gitignore']) await writeFile(join(root, name), 'ignored.ts\n')
  await git('add', '.')
  await git('commit', '--quiet', '--message=first')
  expect(() => changedFiles(root)).toThrow('No file differs from the main branch.')
  await git('checkout', '--quiet', '-b', 'topic')
  await writeFile(join(root, 'committed.ts'), '')
  await git('add', '.')
  await git('commit', '--quiet', '--message=second')
  await writeFile(join(root, 'changed.ts'), '')
  for (const name of ['new.ts', 'ignored.ts']) await writeFile(join(root, name), '')
  expect(changedFiles(root).toSorted()).toEqual(['changed.ts', 'committed.ts', 'new.ts'])
})

test('changedFiles rejects a repository without a main branch', async () => {
  await git('init', '--quiet', '--initial-branch=other')
  expect(() => changedFiles(root)).toThrow('which does not exist here')
})
