import { findRow, newRow, openDatabase } from '@cobro/database'
import { storedRowDifferences } from '@cobro/testing'
import { AuditEventEntity } from '../src/events/audit-event-entity.ts'
import { CheckpointEntity } from '../src/integrity/checkpoint-entity.ts'

const entities = [AuditEventEntity, CheckpointEntity]

test('rows are stored and read as MikroORM does it', async () => {
  expect(await storedRowDifferences({ findRow, newRow, openDatabase }, { schema: 'audit', entities })).toEqual([])
})
