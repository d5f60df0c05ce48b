import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOncePerFingerprint } from './fingerprint.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cobro-fingerprint-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('work runs once for a fingerprint, also if it is asked for twice at the same time', async () => {
  const stamp = join(folder, 'stamp')
  let runs = 0
  const work = async () => {
    runs += 1
    await new Promise(setImmediate)
  }
  await Promise.all([1, 2, 3].map(() => runOncePerFingerprint(stamp, 'one', work)))
  await runOncePerFingerprint(stamp, 'one', work)
  expect(runs).toBe(1)
  await runOncePerFingerprint(stamp, 'two', work)
  expect(runs).toBe(2)
})

test('work that failed runs again', async () => {
  const stamp = join(folder, 'stamp')
  await expect(runOncePerFingerprint(stamp, 'one', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  let runs = 0
  await runOncePerFingerprint(stamp, 'one', async () => {
    runs += 1
  })
  expect(runs).toBe(1)
})
