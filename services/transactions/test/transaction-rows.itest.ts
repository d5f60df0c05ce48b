import { findRow, newRow, openDatabase } from '@cobro/database'
import { storedRowDifferences } from '@cobro/testing'
import { entities } from '../src/entities.ts'

test('rows are stored and read as MikroORM does it', async () => {
  expect(await storedRowDifferences({ findRow, newRow, openDatabase }, { schema: 'transactions', entities })).toEqual(
    [],
  )
})
