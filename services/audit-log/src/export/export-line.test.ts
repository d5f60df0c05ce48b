import { contentColumns } from '../events/audit-event-entity.ts'
import { csvHead, csvLine, ndjsonLine, readNdjsonLine } from './export-line.ts'

const event = (fields: object) => ({ seq: 12, content: Buffer.from(JSON.stringify(fields)) })

test('a line of NDJSON holds the event byte for byte', () => {
  for (const content of ['{}', '{ "a": 1.50 }', '{"é":"\\u2028\u2028}"}']) {
    const line = ndjsonLine({ seq: 12, content: Buffer.from(content) })
    expect(readNdjsonLine(line.slice(0, -1))).toEqual({ seq: 12, content: Buffer.from(content) })
    expect(JSON.parse(line)).toEqual({ seq: 12, event: JSON.parse(content) })
  }
})

test.each(['', '{}', '{"seq":0,"event":{}}', '{"seq":1,"event":{}', '{"seq": 1,"event":{}}', '{"event":{},"seq":1}'])(
  'what was not written as a line is none: %s',
  line => expect(readNdjsonLine(line)).toBeUndefined(),
)

test('a line of CSV has a field for each column, in the order of the first line', () => {
  expect(csvHead).toBe(`seq,${contentColumns.join()}\r\n`)
  const fields = csvLine(event({ action: 'x', status_code: 200, metadata: { a: 'b' } }))
  expect(fields).toBe(
    `12,${contentColumns.map(name => ({ action: 'x', status_code: '200', metadata: '"{""a"":""b""}"' })[name] ?? '').join()}\r\n`,
  )
})

test.each([
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['a\r\nb', '"a\r\nb"'],
  ['=cmd()', "'=cmd()"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\t=1', "'\t=1"],
  ['=a,b', `"'=a,b"`],
  ['a=1', 'a=1'],
])('%j is written as %j', (text, field) => {
  const at = contentColumns.indexOf('user_agent')
  const line = csvLine(event({ user_agent: text }))
  expect(line).toBe(`12,${contentColumns.map((_name, i) => (i === at ? field : '')).join()}\r\n`)
})
