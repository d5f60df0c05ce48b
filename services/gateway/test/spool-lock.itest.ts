import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDirectory } from '../src/spool/spool-lock.ts'
import { spoolsOfEachTest, temporaryDirectory } from './spool-world.ts'

spoolsOfEachTest()

test.each(['linux', 'darwin'])('on %s, only one process at a time can lock a spool directory', async platform => {
  const dir = temporaryDirectory()
  const unlock = await lockDirectory(dir, platform)
  await expect(lockDirectory(dir, platform)).rejects.toThrow('is in use by another process')
  await unlock()
  await (await lockDirectory(dir, platform))()
})

test('waits for a moment until an ending process has released a spool directory', async () => {
  const dir = temporaryDirectory()
  const unlock = await lockDirectory(dir)
  const next = lockDirectory(dir)
  await unlock()
  await (await next)()
})

test('locks a spool directory under every path to it', async () => {
  const dir = temporaryDirectory()
  const link = join(temporaryDirectory(), 'link')
  symlinkSync(dir, link)
  const unlock = await lockDirectory(dir)
  await expect(lockDirectory(link)).rejects.toThrow('is in use')
  await unlock()
})

test('ignores the lock file of a process that has ended', async () => {
  const dir = temporaryDirectory()
  writeFileSync(join(dir, 'lock'), '2147483646')
  const unlock = await lockDirectory(dir, 'darwin')
  expect(readFileSync(join(dir, 'lock'), 'utf8')).toBe(String(process.pid))
  await unlock()
})
