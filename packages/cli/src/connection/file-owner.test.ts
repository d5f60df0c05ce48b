import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { identifyProcess } from '@cobro/local-stack/process-identity'
import { takeFile } from './file-owner.ts'

const newPath = () => join(mkdtempSync(join(tmpdir(), 'cobro-owner-')), 'file')

test('a file has one owner until it is given up', async () => {
  const path = newPath()
  const [first, second] = await Promise.all([takeFile(path), takeFile(path)])
  expect([first, second].filter(Boolean)).toHaveLength(1)
  ;(first ?? second)?.()
  expect(await takeFile(path)).toBeDefined()
})

test('the file of a process that was killed can be taken', async () => {
  const path = newPath()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  writeFileSync(`${path}.owner`, JSON.stringify(identifyProcess(child.pid ?? 0)))
  expect(await takeFile(path)).toBeUndefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await takeFile(path)).toBeDefined()
})
