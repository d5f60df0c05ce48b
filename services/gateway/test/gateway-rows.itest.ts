import { findRow, newRow, openDatabase } from '@cobro/database'
import { storedRowDifferences } from '@cobro/testing'
import { entities, schema } from '../src/gateway-schema.ts'

test('rows are stored and read as MikroORM does it', async () => {
  expect(await storedRowDifferences({ findRow, newRow, openDatabase }, { schema, entities })).toEqual([])
})
