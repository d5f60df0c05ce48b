import { join } from 'node:path'
import { resultOfYoungProgram } from '@cobro/testing'
import { branchDatabase, schema } from './branch-database.ts'

// V8 may collect once in between. Without the patch of pg, none would be new.
test('queries are new objects, which are collected early', async () => {
  const world = await branchDatabase()
  try {
    const program = join(import.meta.dirname, 'fixtures', 'count-young-queries.ts')
    const counts = resultOfYoungProgram(program, { POSTGRES_URL: world.database.url(schema) })
    for (const count of Object.values(counts as Record<string, number>)) expect(count).toBeGreaterThan(80)
    expect(Object.keys(counts as object)).toEqual(['untimed', 'timed'])
  } finally {
    await world.stop()
  }
})
