import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Message, newId } from '@cobro/contracts'
import { contentColumns } from '../src/events/audit-event-entity.ts'
import { verifyLog } from '../src/integrity/verify-log.ts'
import { noteHash, readNote, signedNote } from '../src/tree/checkpoint-note.ts'
import { isTreeBroken } from '../src/tree/tree-head.ts'
import { eventMessage, newSigningKey } from './audit-log-world.ts'
import { fullMessages, type LogWorld, logWorld } from './log-world.ts'

let world: LogWorld
const [batches, batchSize] = [6, 5]
const size = batches * batchSize

beforeAll(async () => {
  world = await logWorld()
  for (let batch = 0; batch < batches; batch++) await world.append(fullMessages(batchSize))
  await world.save()
})
const restore = () => world.restore()
/** Appends as a replica that knows no checkpoint outside the database, which later tests would lack. */
const append = async (messages: Message[]) => world.append(messages, await world.writer())
afterEach(restore)
afterAll(() => world.close())

test('an unchanged audit log verifies, as a whole and in every range', async () => {
  const root = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/)
  expect(await world.verify()).toEqual({
    ok: true,
    size,
    root,
    checked: size,
    retired: 0,
    first_fault: null,
    restores: [],
  })
  expect(await world.checkFile()).toEqual({ newest: size, unsigned: 0, violation: null })
  for (let fromSeq = 1; fromSeq <= size; fromSeq++)
    for (const toSeq of [fromSeq, fromSeq + 1, fromSeq + 7, size + 3])
      expect(await world.verify({ fromSeq, toSeq })).toMatchObject({
        ok: true,
        checked: Math.min(toSeq, size) - fromSeq + 1,
      })
})

test('an audit log that grows during its verification verifies', async () => {
  const { db, key } = world.log
  let hasGrown = false
  const growing: typeof db = {
    ...db,
    read: async work => {
      const found = await db.read(work)
      if (!hasGrown) {
        hasGrown = true
        await append([eventMessage()])
      }
      return found
    },
  }
  const beyond = { fromSeq: size + 1_000, toSeq: size + 2_000 }
  expect(await verifyLog({ db: growing, keys: [key] }, beyond)).toMatchObject({ ok: true, size, checked: 0 })
})

/** A different value for each column. */
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
      `a changed column ${column}`,
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
/** Resets the log consistently to an earlier checkpoint. */
const truncateConsistently = [
  'delete from audit.events where seq > 25',
  'delete from audit.checkpoints where size > 25',
  `update audit.tree_head set (size, frontier, previous) =
    (select size, frontier, sha256(convert_to(note, 'UTF8')) from audit.checkpoints where size = 25)`,
]
const unsignedRestore = `insert into audit.restores values (12, convert_to('{"action": "audit_log.restore_accepted"}', 'UTF8'))`
const unsignedRetirement = `insert into audit.retirements values ('2020-01-01', 12, convert_to('{"metadata": {"seqs": "11-15"}}', 'UTF8'))`

test.each<readonly [string, string | string[], string, number]>([
  ...columnChanges,
  ['a changed sequence number', 'update audit.events set seq = 31 where seq = 12', 'event_missing', 12],
  ['changed content', `update audit.events set content = ${newContent} where seq = 12`, 'event_changed', 12],
  [
    'changed content with the same meaning',
    `update audit.events set content = content || '\\x20' where seq = 12`,
    'event_changed',
    12,
  ],
  ['content that is not JSON', `update audit.events set content = '\\x00' where seq = 12`, 'event_changed', 12],
  [
    'changed content with its column',
    `update audit.events set amount_cents = 25001, content = ${newContent} where seq = 12`,
    'event_changed',
    12,
  ],
  [
    'changed content with its column and leaf',
    [
      `update audit.events set amount_cents = 25001, content = ${newContent} where seq = 12`,
      withLeaf(1, `(select ${leafOf('content')} from audit.events where seq = 12)`),
    ],
    'leaves_changed',
    11,
  ],
  ['a deleted first event', 'delete from audit.events where seq = 1', 'event_missing', 1],
  ['a deleted event in the middle', 'delete from audit.events where seq = 12', 'event_missing', 12],
  ['a deleted last event', 'delete from audit.events where seq = 30', 'event_missing', 30],
  ['the deletion of all events', 'delete from audit.events', 'event_missing', 1],
  [
    'a deleted event with an unsigned retirement',
    ['delete from audit.events where seq = 12', unsignedRetirement],
    'event_missing',
    12,
  ],
  [
    'a deleted event with a retirement that has the content of another event',
    [
      'delete from audit.events where seq = 12',
      `insert into audit.retirements select '2020-01-01', 11, content from audit.events where seq = 11`,
    ],
    'event_missing',
    12,
  ],
  [
    'a retirement with the content of another event',
    `insert into audit.retirements select '2020-01-01', 11, content from audit.events where seq = 11`,
    'retirement_changed',
    11,
  ],
  ['an unsigned retirement', unsignedRetirement, 'retirement_changed', 12],
  ['an event added at the end', insertCopy(31), 'event_added', 31],
  ['an event added before the first', insertCopy(0), 'event_added', 0],
  ['a second event with the same sequence number', insertCopy(12), 'event_doubled', 12],
  ['two swapped events', 'update audit.events set seq = 19 - seq where seq in (7, 12)', 'event_changed', 7],
  ['sequence numbers all shifted by one', 'update audit.events set seq = seq + 1', 'event_missing', 1],
  ['deleted newest events', 'delete from audit.events where seq > 25', 'event_missing', 26],
  ['deleted newest events with their checkpoint', truncateConsistently.slice(0, 2), 'checkpoint_missing', 26],
  ['a head reset to an earlier size', truncateConsistently.slice(2), 'head_changed', 26],
  ['a deleted head', 'delete from audit.tree_head', 'head_changed', 1],
  [
    'a changed frontier of the head',
    `update audit.tree_head set frontier = overlay(frontier placing '\\x00' from 3)`,
    'head_changed',
    30,
  ],
  ['a head that claims events not hashed yet', 'update audit.tree_head set placed = 31', 'head_changed', 31],
  ['a head with another newest checkpoint', `update audit.tree_head set previous = sha256('x')`, 'head_changed', 30],
  ['a changed leaf', withLeaf(1, `sha256('x')`), 'leaves_changed', 12],
  [
    'truncated leaves',
    `update audit.checkpoints set leaves = substr(leaves, 1, 64) where size = 15`,
    'leaves_changed',
    11,
  ],
  [
    'a changed frontier of a checkpoint',
    `update audit.checkpoints set frontier = sha256('x') where size = 15`,
    'checkpoint_changed',
    11,
  ],
  ['a changed checkpoint size', 'update audit.checkpoints set size = 16 where size = 15', 'checkpoint_changed', 11],
  [
    'a changed note',
    `update audit.checkpoints set note = replace(note, E'\\n15\\n', E'\\n16\\n') where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'a changed signature',
    `update audit.checkpoints set note = overlay(note placing case substr(note, length(note) - 9, 1) when 'A' then 'B' else 'A' end from length(note) - 9 for 1) where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'a removed signature',
    `update audit.checkpoints set note = split_part(note, '—', 1) where size = 15`,
    'checkpoint_unsigned',
    11,
  ],
  [
    'a changed checkpoint time',
    `update audit.checkpoints set created_at = '2020-01-01' where size = 15`,
    'checkpoint_changed',
    11,
  ],
  ['a restore that the log did not accept', unsignedRestore, 'restore_changed', 12],
  [
    'a restore that is another event',
    'insert into audit.restores select seq, content from audit.events where seq = 11',
    'restore_changed',
    11,
  ],
  ['a deleted first checkpoint', 'delete from audit.checkpoints where size = 5', 'checkpoint_missing', 1],
  ['a deleted checkpoint', 'delete from audit.checkpoints where size = 15', 'checkpoint_missing', 11],
  ['a deleted last checkpoint', 'delete from audit.checkpoints where size = 30', 'checkpoint_missing', 26],
  [
    'two swapped checkpoints',
    [
      [15, 1_000],
      [20, 15],
      [1_000, 20],
    ].map(([from, to]) => `update audit.checkpoints set size = ${to} where size = ${from}`),
    'checkpoint_changed',
    11,
  ],
])('verifying the audit log finds %s', async (_case, change, kind, seq) => {
  await world.sql(...[change].flat())
  expect(await world.verify()).toMatchObject({ ok: false, first_fault: { kind, seq } })
})

test('verifying the audit log finds checkpoints signed with another key', async () => {
  const stranger = newSigningKey()
  for (const at of [15, 20, 25, 30]) {
    const [row] = await world.sql<{ note: string }>(`select note from audit.checkpoints where size = ${at}`)
    const forged = signedNote(readNote(row!.note)!, stranger)
    await world.sql(`update audit.checkpoints set note = '${forged}' where size = ${at}`)
  }
  expect(await world.verify()).toMatchObject({ ok: false, first_fault: { kind: 'checkpoint_unsigned', seq: 11 } })
})

test('verifying a range finds violations in the range and in the checkpoint before it', async () => {
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

test('a consistently truncated log is found only with the checkpoints outside the database', async () => {
  await world.sql(...truncateConsistently)
  expect(await world.verify()).toMatchObject({ ok: true, size: 25 })
  expect(await world.checkFile()).toMatchObject({ newest: 25, violation: { kind: 'log_rolled_back', seq: 26 } })
})

test('a log truncated and then extended with valid signatures is found with the checkpoints outside the database', async () => {
  await world.sql(...truncateConsistently)
  await append([eventMessage(), eventMessage()])
  await append(fullMessages(4))
  expect(await world.verify()).toMatchObject({ ok: true, size: 31 })
  expect(await world.checkFile()).toMatchObject({ violation: { kind: 'log_forked', seq: 30 } })
})

test('nothing is appended to a log whose head was tampered with', async () => {
  for (const change of [
    `update audit.tree_head set frontier = overlay(frontier placing '\\x00' from 3)`,
    `update audit.tree_head set previous = sha256('x')`,
    'update audit.tree_head set size = 25',
    'update audit.tree_head set placed = 31',
    'delete from audit.tree_head',
    'delete from audit.checkpoints where size = 30',
  ]) {
    await world.sql(change)
    const adding = append([eventMessage()])
    await expect(adding).rejects.toThrow(/head of the log/)
    await adding.catch(error => expect(isTreeBroken(error)).toBe(true))
    await restore()
  }
})

test('checkpoints outside the database without a valid signature and truncated lines are ignored', async () => {
  const strange = {
    size: 99,
    note: signedNote({ size: 99, root: noteHash('x'), previous: noteHash('y') }, newSigningKey()),
  }
  const lines = `not JSON\n${JSON.stringify(strange)}\n{"msg":"started"}\n${await readFile(world.file, 'utf8')}{"size":30,"no`
  const file = join(world.folder, 'mixed.ndjson')
  await writeFile(file, lines)
  expect(await world.checkFile(file)).toEqual({ newest: size, unsigned: 1, violation: null })
  const own = signedNote({ size: 99, root: noteHash('x'), previous: noteHash('y') }, world.log.key)
  await writeFile(file, `${JSON.stringify({ note: own })}\n`)
  expect(await world.checkFile(file)).toMatchObject({ violation: { kind: 'log_rolled_back', seq: 31 } })
})
