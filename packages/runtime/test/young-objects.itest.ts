import { join } from 'node:path'
import { countYoungObjects } from '@cobro/testing'

// V8 may collect once in between. With OpenTelemetry's contexts, and without the patch of undici, none would be new.
test('contexts and requests of undici are new objects, which are collected early', () => {
  const counts = countYoungObjects(join(import.meta.dirname, 'fixtures', 'count-young-objects.ts'))
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(80)
  expect(Object.keys(counts)).toEqual(['derived', 'extracted', 'requests'])
})
