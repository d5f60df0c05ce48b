import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@cobro/contracts'
import { contentColumns } from '../src/events/audit-event-entity.ts'
import { verifyLog } from '../src/integrity/verify-log.ts'
import { noteHash, readNote, signedNote } from '../src/tree/checkpoint-note.ts'
import { isTreeBroken } from '../src/tree/tree-head.ts'
import { eventMessage, newSigningKey } from './audit-log-world.ts'
import { fullMessages, type LogWorld, logWorld } from './log-world.ts'

let world: LogWorld
const tables = ['events', 'checkpoints', 'retirements', 'tree_head']
const [batches, batchSize] = [6, 5]
const size = batches * batchSize

beforeAll(async () => {
  world = await logWorld()
  for (let batch = 0; batch < batches; batch++) await world.append(fullMessages(batchSize))
  // A superuser can do this; that nobody else can, the matrix of rights shows.
  for (const table of tables.slice(0, 3)) await world.sql(`alter table audit.${table} disable trigger immutable`)
  await world.sql('create schema saved', ...tables.map(table => `create table saved.${table} as table audit.${table}`))
})
const restore = () =>
  world.sql(
    ...tables.flatMap(table => [
      `delete from audit.${table}`,
      `insert into audit.${table} select * from saved.${table}`,
    ]),
  )
afterEach(restore)
afterAll(() => world.close())

test('the untouched log verifies, whole and in every part', async () => {
  const root = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
  expect(await world.verify()).toEqual({ ok: true, size, root, checked: size, retired: 0, first_fault: null })
  expect(await world.checkFile()).toEqual({ newest: size, unsigned: 0, fault: null })
  for (let fromSeq = 1; fromSeq <= size; fromSeq++)
    for (const toSeq of [fromSeq, fromSeq + 1, fromSeq + 7, size + 3])
      expect(await world.verify({ fromSeq, toSeq })).toMatchObject({
        ok: true,
        checked: Math.min(toSeq, size) - fromSeq + 1,
      })
})

test('a log that grows while its end is verified is not taken for a changed one', async () => {
  const { db, key } = world.log
  let hasGrown = false
  const growing: typeof db = {
    ...db,
    read: async work => {
      const found = await db.read(work)
      if (!hasGrown) {
        hasGrown = true
        await world.append([eventMessage()])
      }
      return found
    },
  }
  const before = await readFile(world.file, 'utf8')
  const beyond = { fromSeq: size + 1_000, toSeq: size + 2_000 }
  expect(await verifyLog({ db: growing, keys: [key] }, beyond)).toMatchObject({ ok: true, size, checked: 0 })
  await writeFile(world.file, before)
})

/** A value of each column other than the one that is there. */
const others: Record<string, string> = {
  id: `left(id, -1) || case right(id, 1) when '0' then '1' else '0' end`,
  actor: `'{"type": "operator", "id": null}'`,
  metadata: `metadata || '{"last4": "0000"}'`,
  status_code: '201',
  duration_ms: '1',
  amount_cents: 'amount_cents + 1',
  occurred_at: `occurred_at + interval '1 millisecond'`,
}
const columnChanges = contentColumns.map(
  column =>
    [
      `column ${column}`,
      `update audit.events set ${column} = ${others[column] ?? `'other'`} where seq = 12`,
      'column_changed',
      12,
    ] as const,
)

const newContent = `convert_to(replace(convert_from(content, 'UTF8'), '25000', '25001'), 'UTF8')`
const leafOf = (content: string) => `sha256('\\x00'::bytea || ${content})`
const withLeaf = (at: number, leaf: string) =>
  `update audit.checkpoints set leaves = overlay(leaves placing ${leaf} from ${at * 32 + 1}) where size = 15`
const copied = contentColumns.filter(column => column !== 'id').join()
const insertCopy = (seq: number) =>
  `insert into audit.events (id, seq, content, ${copied})
    select '${newId('evt')}', ${seq}, content, ${copied} from audit.events where seq = 12`
/** Takes the log back to an earlier checkpoint, leaving nothing behind. */
const cutCleanly = [
  'delete from audit.events where seq > 25',
  'delete from audit.checkpoints where size > 25',
  `update audit.tree_head set (size, frontier, previous) =
    (select size, frontier, sha256(convert_to(note, 'UTF8')) from audit.checkpoints where size = 25)`,
]
const excuse = `insert into audit.retirements values ('2020-01-01', 12, convert_to('{"metadata": {"seqs": "11-15"}}', 'UTF8'))`

test.each<readonly [string, string | string[], string, number]>([
  ...columnChanges,
  ['the place of an event', 'update audit.events set seq = 31 where seq = 12', 'event_missing', 12],
  ['content', `update audit.events set content = ${newContent} where seq = 12`, 'event_changed', 12],
  [
    'content that means the same',
    `update audit.events set content = content || '\\x20' where seq = 12`,
    'event_changed',
    12,
  ],
  ['content that is no JSON', `update audit.events set content = '\\x00' where seq = 12`, 'event_changed', 12],
  [
    'content and its column',
    `update audit.events set amount_cents = 25001, content = ${newContent} where seq = 12`,
    'event_changed',
    12,
  ],
  [
    'content, its column and its leaf',
    [
      `update audit.events set amount_cents = 25001, content = ${newContent} where seq = 12`,
      withLeaf(1, `(select ${leafOf('content')} from audit.events where seq = 12)`),
    ],
    'leaves_changed',
    11,
  ],
  ['the first event taken away', 'delete from audit.events where seq = 1', 'event_missing', 1],
  ['an event in the middle taken away', 'delete from audit.events where seq = 12', 'event_missing', 12],
  ['the last event taken away', 'delete from audit.events where seq = 30', 'event_missing', 30],
  ['all events taken away', 'delete from audit.events', 'event_missing', 1],
  [
    'an event taken away, with a row to excuse it',
    ['delete from audit.events where seq = 12', excuse],
    'event_missing',
    12,
  ],
  [
    'an event taken away, with a row that points to another event to excuse it',
    [
      'delete from audit.events where seq = 12',
      `insert into audit.retirements select '2020-01-01', 11, content from audit.events where seq = 11`,
    ],
    'event_missing',
    12,
  ],
  [
    'a retirement that is another event',
    `insert into audit.retirements select '2020-01-01', 11, content from audit.events where seq = 11`,
    'retirement_changed',
    11,
  ],
  ['a retirement that nobody signed', excuse, 'retirement_changed', 12],
  ['an event put at the end', insertCopy(31), 'event_added', 31],
  ['an event put before the first', insertCopy(0), 'event_added', 0],
  ['a second event at the same place', insertCopy(12), 'event_doubled', 12],
  ['two events exchanged', 'update audit.events set seq = 19 - seq where seq in (7, 12)', 'event_changed', 7],
  ['all places moved by one', 'update audit.events set seq = seq + 1', 'event_missing', 1],
  ['the newest events cut off', 'delete from audit.events where seq > 25', 'event_missing', 26],
  ['the newest events cut off with their checkpoint', cutCleanly.slice(0, 2), 'checkpoint_missing', 26],
  ['the end of the log set back', cutCleanly.slice(2), 'head_changed', 26],
  ['the end of the log taken away', 'delete from audit.tree_head', 'head_changed', 1],
  [
    'the frontier at the end',
    `update audit.tree_head set frontier = overlay(frontier placing '\\x00' from 3)`,
    'head_changed',
    30,
  ],
  ['rows that wait for the tree, where none do', 'update audit.tree_head set placed = 31', 'head_changed', 31],
  [
    'the newest checkpoint as the end names it',
    `update audit.tree_head set previous = sha256('x')`,
    'head_changed',
    30,
  ],
  ['a leaf', withLeaf(1, `sha256('x')`), 'leaves_changed', 12],
  [
    'leaves cut off',
    `update audit.checkpoints set leaves = substr(leaves, 1, 64) where size = 15`,
    'leaves_changed',
    11,
  ],
  ['a frontier', `update audit.checkpoints set frontier = sha256('x') where size = 15`, 'checkpoint_changed', 11],
  ['the size of a checkpoint', 'update audit.checkpoints set size = 16 where size = 15', 'checkpoint_changed', 11],
  [
    'a signed root',
    `update audit.checkpoints set note = replace(note, E'\\n15\\n', E'\\n16\\n') where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'a signature',
    `update audit.checkpoints set note = overlay(note placing case substr(note, length(note) - 9, 1) when 'A' then 'B' else 'A' end from length(note) - 9 for 1) where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'a signature taken away',
    `update audit.checkpoints set note = split_part(note, '—', 1) where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'the time of a checkpoint',
    `update audit.checkpoints set created_at = '2020-01-01' where size = 15`,
    'checkpoint_changed',
    11,
  ],
  ['the first checkpoint taken away', 'delete from audit.checkpoints where size = 5', 'checkpoint_missing', 1],
  ['a checkpoint taken away', 'delete from audit.checkpoints where size = 15', 'checkpoint_missing', 11],
  ['the last checkpoint taken away', 'delete from audit.checkpoints where size = 30', 'checkpoint_missing', 26],
  [
    'two checkpoints exchanged',
    [
      [15, 1_000],
      [20, 15],
      [1_000, 20],
    ].map(([from, to]) => `update audit.checkpoints set size = ${to} where size = ${from}`),
    'checkpoint_changed',
    11,
  ],
])('finds %s', async (_what, change, kind, seq) => {
  await world.sql(...[change].flat())
  expect(await world.verify()).toMatchObject({ ok: false, first_fault: { kind, seq } })
})

test('finds a history that was written anew and signed with a key of its own', async () => {
  const stranger = newSigningKey()
  for (const at of [15, 20, 25, 30]) {
    const [row] = await world.sql<{ note: string }>(`select note from audit.checkpoints where size = ${at}`)
    const forged = signedNote(readNote(row!.note)!, stranger)
    await world.sql(`update audit.checkpoints set note = '${forged}' where size = ${at}`)
  }
  expect(await world.verify()).toMatchObject({ ok: false, first_fault: { kind: 'checkpoint_unsigned', seq: 11 } })
})

test('finds in a part of the log what lies in that part, and the checkpoint that it rests on', async () => {
  await world.sql('delete from audit.events where seq = 12')
  expect(await world.verify({ fromSeq: 13, toSeq: 30 })).toMatchObject({ ok: true, checked: 18 })
  expect(await world.verify({ fromSeq: 12, toSeq: 12 })).toMatchObject({
    first_fault: { kind: 'event_missing', seq: 12 },
  })
  await world.sql(`update audit.checkpoints set frontier = sha256('x') where size = 10`)
  expect(await world.verify({ fromSeq: 13, toSeq: 30 })).toMatchObject({
    first_fault: { kind: 'checkpoint_changed', seq: 10 },
  })
})

test('a log that was cut cleanly is found by the checkpoints outside the database, and by them alone', async () => {
  await world.sql(...cutCleanly)
  expect(await world.verify()).toMatchObject({ ok: true, size: 25 })
  expect(await world.checkFile()).toMatchObject({ newest: 25, fault: { kind: 'log_rolled_back', seq: 26 } })
})

test('a log that was cut and went on is found too, though the service itself signed what came', async () => {
  const before = await readFile(world.file, 'utf8')
  await world.sql(...cutCleanly)
  await world.append([eventMessage(), eventMessage()])
  await world.append(fullMessages(4))
  expect(await world.verify()).toMatchObject({ ok: true, size: 31 })
  expect(await world.checkFile()).toMatchObject({ fault: { kind: 'log_forked', seq: 30 } })
  await writeFile(world.file, before)
})

test('nothing is added to a log whose end somebody touched', async () => {
  for (const change of [
    `update audit.tree_head set frontier = overlay(frontier placing '\\x00' from 3)`,
    `update audit.tree_head set previous = sha256('x')`,
    'update audit.tree_head set size = 25',
    'update audit.tree_head set placed = 31',
    'delete from audit.tree_head',
    'delete from audit.checkpoints where size = 30',
  ]) {
    await world.sql(change)
    const adding = world.append([eventMessage()])
    await expect(adding).rejects.toThrow(/end of the log/)
    await adding.catch(error => expect(isTreeBroken(error)).toBe(true))
    await restore()
  }
})

test('of the checkpoints outside, only what we signed counts, and a line that was cut off does no harm', async () => {
  const strange = {
    size: 99,
    note: signedNote({ size: 99, root: noteHash('x'), previous: noteHash('y') }, newSigningKey()),
  }
  const lines = `not JSON\n${JSON.stringify(strange)}\n{"msg":"started"}\n${await readFile(world.file, 'utf8')}{"size":30,"no`
  const file = join(world.folder, 'mixed.ndjson')
  await writeFile(file, lines)
  expect(await world.checkFile(file)).toEqual({ newest: size, unsigned: 1, fault: null })
  const own = signedNote({ size: 99, root: noteHash('x'), previous: noteHash('y') }, world.log.key)
  await writeFile(file, `${JSON.stringify({ note: own })}\n`)
  expect(await world.checkFile(file)).toMatchObject({ fault: { kind: 'log_rolled_back', seq: 31 } })
})
