import { newId } from '@cobro/contracts'
import { migrate } from '@cobro/database'
import { migrations } from '../migrations/all-audit-log.ts'
import { backfillTree } from '../src/tree/backfill-tree.ts'
import { eventMessage } from './audit-log-world.ts'
import { type LogWorld, logWorld } from './log-world.ts'

const older = 2_345
let world: LogWorld

beforeAll(async () => {
  world = await logWorld({ migrated: migrations.slice(0, 1) })
  const values = Array.from(
    { length: older },
    (_, i) =>
      `('${newId('evt')}', 'x', 'api', '{"type": "key", "id": null}', '{"b": 1.50, "é": "\u2028", "a": [1, {"z": null}]}', ${i}, now())`,
  )
  await world.sql(
    `insert into audit.events (id, action, category, actor, metadata, amount_cents, occurred_at) values ${values.join()}`,
  )
  await migrate({ url: world.database.migratorUrl, schema: 'audit', migrations })
})
afterAll(() => world.close())

test('events that predate the tree are added to it before new events', async () => {
  await expect(world.append([eventMessage()])).rejects.toThrow(/predate the tree/)
  expect(await world.verify()).toMatchObject({ first_fault: { kind: 'event_added', seq: 1 } })
  await Promise.all([backfillTree(world.log), backfillTree(world.log)])
  await world.append([eventMessage()])
  expect(await world.verify()).toMatchObject({ ok: true, size: older + 1, checked: older + 1 })
  expect(await world.sql('select size from audit.checkpoints order by size')).toEqual(
    [1_000, 2_000, 2_345, 2_346].map(size => ({ size: String(size) })),
  )
})

test('events that predate the tree have sequence numbers in the order of their ids, and cannot be changed', async () => {
  const rows = await world.sql<{ id: string }>(`select id from audit.events where seq <= ${older} order by seq`)
  expect(rows).toEqual(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  await expect(world.sql('update audit.events set amount_cents = 1')).rejects.toThrow(/never changed/)
})

test('missing events that predate the tree stop the backfill', async () => {
  await world.sql('update audit.tree_head set placed = 1000000')
  await expect(backfillTree(world.log)).rejects.toThrow('Events that predate the tree are missing')
  await world.sql(`update audit.tree_head set placed = ${older}`)
  expect(await world.verify()).toMatchObject({ ok: true })
})
