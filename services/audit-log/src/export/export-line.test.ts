import { contentColumns } from '../events/audit-event-entity.ts'
import { csvHeader, eventCsvLine, ndjsonLine, readNdjsonLine } from './export-line.ts'

const event = (fields: object) => ({ seq: 12, content: Buffer.from(JSON.stringify(fields)) })

test('an exported NDJSON line contains the exact bytes of the event', () => {
  for (const content of ['{}', '{ "a": 1.50 }', '{"é":"\\u2028\u2028}"}']) {
    const line = ndjsonLine({ seq: 12, content: Buffer.from(content) })
    expect(readNdjsonLine(line.slice(0, -1))).toEqual({ seq: 12, content: Buffer.from(content) })
    expect(JSON.parse(line)).toEqual({ seq: 12, event: JSON.parse(content) })
  }
})

test.each(['', '{}', '{"seq":0,"event":{}}', '{"seq":1,"event":{}', '{"seq": 1,"event":{}}', '{"event":{},"seq":1}'])(
  'a line not written by the NDJSON export is not parsed: %s',
  line => expect(readNdjsonLine(line)).toBeUndefined(),
)

test('an exported CSV line has a field for each column of the header', () => {
  expect(csvHeader).toBe(`seq,${contentColumns.join()}\r\n`)
  const fields = eventCsvLine(event({ action: 'x', status_code: 200, metadata: { a: 'b' } }))
  expect(fields).toBe(
    `12,${contentColumns.map(name => ({ action: 'x', status_code: '200', metadata: '"{""a"":""b""}"' })[name] ?? '').join()}\r\n`,
  )
})

test('an exported CSV line has no formula of a client', () => {
  const at = contentColumns.indexOf('user_agent')
  const line = eventCsvLine(event({ user_agent: '=cmd()' }))
  expect(line).toBe(`12,${contentColumns.map((_name, i) => (i === at ? "'=cmd()" : '')).join()}\r\n`)
})
