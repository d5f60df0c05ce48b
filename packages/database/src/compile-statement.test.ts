import { JsonProperty, raw } from '@mikro-orm/core'
import { PostgreSqlPlatform } from '@mikro-orm/postgresql'
import { compileStatement } from './compile-statement.ts'

const platform = new PostgreSqlPlatform()

function compiled(query: string, params: unknown[], before: unknown[] = []) {
  const values = [...before]
  return { text: compileStatement(platform, { query, params }, values), values }
}

test('a repeated statement has the same text and its own values', () => {
  const sql = 'select ? where a = ? and b = \\?'
  expect(compiled(sql, [1, 'x'])).toEqual({ text: 'select $1 where a = $2 and b = ?', values: [1, 'x'] })
  expect(compiled(sql, [2, null])).toEqual({ text: 'select $1 where a = $2 and b = ?', values: [2, null] })
})

test('places count on from the values that were given', () => {
  const sql = 'update a set b = ?'
  expect(compiled(sql, [1])).toEqual({ text: 'update a set b = $1', values: [1] })
  expect(compiled(sql, [2], ['x', 'y'])).toEqual({ text: 'update a set b = $3', values: ['x', 'y', 2] })
  expect(compiled(sql, [3], ['x', 'y'])).toEqual({ text: 'update a set b = $3', values: ['x', 'y', 3] })
})

test('values that have a text of their own change that of a known statement', () => {
  const sql = 'select from a where b in (?)'
  expect(compiled(sql, [1])).toEqual({ text: 'select from a where b in ($1)', values: [1] })
  expect(compiled(sql, [[1, 2]])).toEqual({ text: 'select from a where b in ($1, $2)', values: [1, 2] })
  expect(compiled(sql, [raw('lower(?)', ['X'])])).toEqual({
    text: 'select from a where b in (lower($1))',
    values: ['X'],
  })
  expect(compiled(sql, [5])).toEqual({ text: 'select from a where b in ($1)', values: [5] })
})

test('identifiers are part of the text', () => {
  const sql = 'select ?? from a where b = ?'
  expect(compiled(sql, ['c', 1])).toEqual({ text: 'select "c" from a where b = $1', values: [1] })
  expect(compiled(sql, ['d', 2])).toEqual({ text: 'select "d" from a where b = $1', values: [2] })
})

test('dates, objects and arrays of JSON are bound as texts, also in a known statement', () => {
  const list = Object.defineProperty([1, 2], JsonProperty, { value: true, enumerable: false })
  const at = new Date(0)
  for (let times = 0; times < 2; times++)
    expect(compiled('select ?, ?, ?', [at, { a: 1 }, list]).values).toEqual([at.toISOString(), '{"a":1}', '[1,2]'])
  expect(() => compiled('select ?, ?, ?', [at, at, new Map()])).toThrow('cannot have a value of type Map')
})

test('a statement without values keeps its question marks, also when it is known with values', () => {
  const sql = "select '?'"
  expect(compiled(sql, []).text).toBe(sql)
  expect(compiled(sql, [1]).text).toBe("select '$1'")
  expect(compiled(sql, []).text).toBe(sql)
  expect(compiled(sql, [2])).toEqual({ text: "select '$1'", values: [2] })
})
