import type { Logger } from '@cobro/runtime'
import { withTreeAlarm } from './tree-alarm.ts'
import { BrokenTree } from './tree-head.ts'

test('the tree alarm logs once a minute that the log accepts no events, and rethrows every error', async () => {
  const lines: unknown[] = []
  const logger = { error: (_context: unknown, line: unknown) => lines.push(line) } as unknown as Logger
  let nowMs = 0
  const work = withTreeAlarm(
    () => Promise.reject(new BrokenTree('broken')),
    logger,
    () => nowMs,
  )
  for (const at of [0, 500, 59_999, 60_000, 60_500]) {
    nowMs = at
    await expect(work()).rejects.toThrow('broken')
  }
  expect(lines).toEqual(['the audit log accepts no events', 'the audit log accepts no events'])
  await expect(withTreeAlarm(() => Promise.reject(new Error('away')), logger)()).rejects.toThrow('away')
  expect(await withTreeAlarm(async () => 7, logger)()).toBe(7)
  expect(lines).toHaveLength(2)
})
