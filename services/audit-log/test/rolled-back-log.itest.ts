import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { acceptRestore } from '../src/integrity/accept-restore.ts'
import { followLog } from '../src/integrity/follow-log.ts'
import { verifyNewest } from '../src/integrity/verify-on-schedule.ts'
import { newestCheckpoint } from '../src/tree/checkpoint-file.ts'
import { isTreeBroken } from '../src/tree/tree-head.ts'
import { newSigningKey } from './audit-log-world.ts'
import { fullMessages, type LogWorld, logWorld } from './log-world.ts'

let world: LogWorld
beforeEach(async () => {
  world = await logWorld()
  for (let batch = 0; batch < 2; batch++) await world.append(fullMessages(5))
  await world.save()
  await world.append(fullMessages(10))
})
afterEach(() => world.close())

const acceptance = { reason: 'The disk failed.', by: 'Ana' }
const accept = (...files: string[]) => acceptRestore(world.log, files.length > 0 ? files : [world.file], acceptance)
const isBroken = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    error => error,
  )
  return isTreeBroken(error)
}

test('a log that was rolled back accepts no events, also from a replica that starts later', async () => {
  await world.restore()
  const restarted = await world.writer(world.file)
  for (const writer of [world.log, restarted]) {
    expect(await isBroken(world.append(fullMessages(1), writer))).toBe(true)
    expect(await isBroken(followLog(writer))).toBe(true)
  }
  expect(await world.verify()).toMatchObject({ ok: true, size: 10 })
})

test('a log that was rolled back and continued elsewhere accepts no events', async () => {
  await world.restore()
  // A replica that knows no checkpoints, or of the release before, signs a second root for 20 events and goes on.
  const unaware = await world.writer()
  await world.append(fullMessages(10), unaware)
  expect(await isBroken(world.append(fullMessages(1)))).toBe(true)
  await world.append(fullMessages(1), unaware)
  expect(await isBroken(world.append(fullMessages(1)))).toBe(true)
  expect(await world.checkFile()).toMatchObject({ violation: { kind: 'log_forked', seq: 20 } })
})

test('a replica that follows the log knows what another replica has signed', async () => {
  const file = join(world.folder, 'second.ndjson')
  const second = await world.writer(file)
  await followLog(second)
  expect(second.witness.newest()).toMatchObject({ size: 20, restores: 0 })
  const written = await readFile(file, 'utf8')
  await followLog(second)
  expect(await readFile(file, 'utf8')).toBe(written)
  await world.restore()
  expect(await isBroken(world.append(fullMessages(1), await world.writer(file)))).toBe(true)
})

test('a log that grows while its head is read was not rolled back', async () => {
  const { db } = world.log
  const read: typeof db.read = work =>
    db.read(em => {
      const execute = async (...query: Parameters<typeof em.execute>) => {
        const rows = await em.execute(...query)
        await world.append(fullMessages(1))
        return rows
      }
      return work(Object.create(em, { execute: { value: execute } }))
    })
  await followLog({ ...world.log, db: { ...db, read } })
  // The head and its checkpoint were read.
  expect(world.log.witness.newest()).toMatchObject({ size: 22 })
})

test('accepting a restore lets every replica continue, and the log shows it for ever', async () => {
  const file = join(world.folder, 'second.ndjson')
  const second = await world.writer(file)
  await followLog(second)
  await world.restore()
  expect(await accept()).toEqual({ restored_size: 10, last_known_size: 20 })
  for (const writer of [world.log, second, await world.writer(world.file)]) {
    await followLog(writer)
    await world.append(fullMessages(1), writer)
  }
  const found = await world.verify()
  expect(found).toMatchObject({ ok: true, size: 14 })
  const root = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
  expect(found.restores).toEqual([
    {
      seq: 11,
      accepted_at: expect.any(String),
      accepted_by: 'Ana',
      reason: 'The disk failed.',
      common_size: 10,
      restored_size: 10,
      restored_root: root,
      last_known_size: 20,
      last_known_root: root,
    },
  ])
  for (const from of [world.file, file])
    expect(await world.checkFile(from)).toMatchObject({ newest: expect.any(Number), violation: null })
  await expect(accept()).rejects.toThrow('there is no restore to accept')
})

test('an accepted restore does not explain a later one', async () => {
  await world.restore()
  await accept()
  await followLog(world.log)
  await world.save()
  await world.append(fullMessages(4))
  await world.restore()
  for (const writer of [world.log, await world.writer(world.file)]) expect(await isBroken(followLog(writer))).toBe(true)
  expect(await world.checkFile()).toMatchObject({ violation: { kind: 'log_rolled_back', seq: 12 } })
  expect(await accept()).toEqual({ restored_size: 11, last_known_size: 15 })
  await followLog(world.log)
  expect((await world.verify()).restores).toHaveLength(2)
  expect(await world.checkFile()).toMatchObject({ violation: null })
})

test('a restore that the database lost again is not accepted any more', async () => {
  await world.restore()
  await accept()
  await followLog(world.log)
  await world.sql('delete from audit.restores')
  expect(await isBroken(followLog(world.log))).toBe(true)
  expect(await isBroken(world.append(fullMessages(1)))).toBe(true)
  expect(await world.checkFile()).toMatchObject({ violation: { kind: 'log_rolled_back' } })
})

test('a replica that had seen more than the accepted restore covers needs another acceptance', async () => {
  const file = join(world.folder, 'second.ndjson')
  await writeFile(file, await readFile(world.file))
  const second = await world.writer(file)
  await world.append(fullMessages(3), second)
  await world.restore()
  await accept()
  await followLog(world.log)
  expect(await isBroken(followLog(second))).toBe(true)
  expect(await accept(file)).toEqual({ restored_size: 11, last_known_size: 23 })
  await followLog(second)
  await followLog(world.log)
  expect(await world.checkFile()).toMatchObject({ violation: null })
})

test('the restores of all replicas can be accepted at once', async () => {
  const file = join(world.folder, 'second.ndjson')
  const second = await world.writer(file)
  await world.append(fullMessages(3), second)
  await world.restore()
  expect(await accept(world.file, file)).toEqual({ restored_size: 10, last_known_size: 23 })
  for (const writer of [world.log, second]) await followLog(writer)
})

test('a replica starts with the last checkpoint of its file that is signed', async () => {
  const newest = await newestCheckpoint(world.file, world.log.keys)
  expect(newest).toMatchObject({ size: 20, restores: 0 })
  await appendFile(world.file, '{"size":25,"note":"cut o')
  expect(await newestCheckpoint(world.file, world.log.keys)).toEqual(newest)
  await appendFile(world.file, `\n${JSON.stringify({ size: 30, note: newest!.note.replace('20', '30') })}\n`)
  expect(await newestCheckpoint(world.file, world.log.keys)).toEqual(newest)
  await expect(newestCheckpoint(world.file, [newSigningKey()])).rejects.toThrow('one of the keys has signed')
  await truncate(world.file)
  expect(await newestCheckpoint(world.file, world.log.keys)).toBeUndefined()
  expect(await newestCheckpoint(join(world.folder, 'missing'), world.log.keys)).toBeUndefined()
  await expect(newestCheckpoint(join(world.file, 'below'), world.log.keys)).rejects.toThrow('ENOTDIR')
})

test('the scheduled verification reports a rolled back log', async () => {
  const errors: unknown[] = []
  const logger = { error: (about: unknown) => errors.push(about) } as never
  await verifyNewest(world.log, world.file, logger)
  expect(errors).toEqual([])
  await world.restore()
  await verifyNewest(world.log, world.file, logger)
  expect(errors).toEqual([{ violation: expect.objectContaining({ kind: 'log_rolled_back', seq: 11 }) }])
})

test('the scheduled verification of a log without events needs no file of checkpoints', async () => {
  const empty = await logWorld()
  const logger = { error: (about: unknown) => expect(about).toBeUndefined() } as never
  await verifyNewest(empty.log, empty.file, logger)
  await empty.append(fullMessages(1), await empty.writer())
  await expect(verifyNewest(empty.log, empty.file, logger)).rejects.toThrow('ENOENT')
  await empty.close()
})

test('the scheduled verification reports a log that was emptied', async () => {
  const errors: unknown[] = []
  const logger = { error: (about: unknown) => errors.push(about) } as never
  const empty = await logWorld()
  await verifyNewest({ ...empty.log, keys: world.log.keys }, world.file, logger)
  expect(errors).toEqual([{ violation: expect.objectContaining({ kind: 'log_rolled_back', seq: 1 }) }])
  await empty.close()
})
