import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOver } from './limit-log.ts'

test('a log that is too large starts over, without a gap', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'cobro-log-')), 'listener.log')
  const log = openSync(path, 'a')
  appendFileSync(log, 'first\n')
  startOver(log, 10)
  appendFileSync(log, 'second\n')
  startOver(log, 10)
  appendFileSync(log, 'third\n')
  closeSync(log)
  expect(readFileSync(path, 'utf8')).toBe('third\n')
})
