import { type Database, openDatabase } from '@cobro/database'
import { recordPolicyReports } from './record-policy-reports.ts'
import { openViolationLimits } from './violation-limits.ts'

let db: Database
beforeAll(() => {
  // Nothing listens there.
  db = openDatabase({ url: 'postgres://127.0.0.1:9/none', schema: 'checkout', entities: [] })
})
afterAll(() => db.close())

const violation = {
  ...{ id: null, source_file: null, source_line: null },
  ...{ directive: 'img-src', blocked_origin: 'https://a.example' },
}

test('a violation whose event could not be stored is recorded when a browser reports it again', async () => {
  const limits = openViolationLimits(async () => true)
  const report = { reports: [violation], address: undefined }
  await expect(recordPolicyReports({ db, limits }, report)).rejects.toThrow('ECONNREFUSED')
  expect(await limits.admit(violation, undefined, Date.now())).toBe('recorded')
  // Now it is a repetition, which needs no database.
  await recordPolicyReports({ db, limits }, report)
})
