import { csvLine } from './csv-line.ts'

test('a line of CSV has a field for each value, and none for null', () => {
  expect(csvLine(['a', 1, -1.5, null, undefined, '', { a: 'b' }])).toBe('a,1,-1.5,,,,"{""a"":""b""}"\r\n')
})

test.each([
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['a\r\nb', '"a\r\nb"'],
  ['=cmd()', "'=cmd()"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['\ta', "'\ta"],
  ['\t=1', "'\t'=1"],
  ['\r=1', `"'\r'=1"`],
  ['a;=1', "a;'=1"],
  ['a;;+1;-1', "a;;'+1;'-1"],
  ['a\t@x', "a\t'@x"],
  ['a\r\n=1', `"a\r\n'=1"`],
  ['=a,b', `"'=a,b"`],
  ['a=1', 'a=1'],
  ['a; b=1;c', 'a; b=1;c'],
])('CSV has %j as %j', (text, field) => {
  expect(csvLine(['x', text, 'y'])).toBe(`x,${field},y\r\n`)
})
