import { join } from 'node:path'
import { countYoungObjects } from '@cobro/testing'
import { branchDatabase, schema } from './branch-database.ts'

// V8 may collect once in between. Without the patch of pg, none would be new.
test('queries are new objects, which are collected early', async () => {
  const world = await branchDatabase()
  try {
    const program = join(import.meta.dirname, 'fixtures', 'count-young-queries.ts')
    const counts = countYoungObjects(program, { POSTGRES_URL: world.database.url(schema) })
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(80)
    expect(Object.keys(counts)).toEqual(['untimed', 'timed'])
  } finally {
    await world.stop()
  }
})
