import { parse } from 'yaml'
import { type Format, formatted } from './print.ts'

/** CSI as one character (C1), as two, and DEL. */
const name = 'Ana\u009b31m\u001b[2J\u007f'
const rows = [{ id: 'txn_1', name, metadata: { [name]: name } }]
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

test.each<Format>(['table', 'json', 'ndjson', 'yaml'])('%s output cannot steer a terminal', format => {
  for (const value of [rows, rows[0], name]) expect(formatted(value, format)).not.toMatch(steering)
})

test('a program reads the value as it was', () => {
  expect(JSON.parse(formatted(rows, 'json'))).toEqual(rows)
  expect(JSON.parse(formatted(rows, 'ndjson'))).toEqual(rows[0])
  expect(parse(formatted(rows, 'yaml'))).toEqual(rows)
})

test('a table has a line for each object, without what is nested', () => {
  expect(formatted(rows, 'table').split('\n')).toEqual(['id     name', 'txn_1  Ana·31m·[2J·'])
  expect(formatted([], 'table')).toBe('none')
})
