import { barcodeOf, code128, quietModules, stopWidths, symbolWidths } from './code-128.ts'

const sumOf = (widths: string) => [...widths].reduce((sum, width) => sum + Number(width), 0)

test('Code 128 has 106 distinct symbols of eleven modules with an even number of bar modules', () => {
  expect(new Set(symbolWidths).size).toBe(106)
  for (const widths of symbolWidths) {
    expect(widths).toMatch(/^[1-4]{6}$/)
    expect(sumOf(widths)).toBe(11)
    expect([0, 2, 4].reduce((sum, i) => sum + Number(widths[i]), 0) % 2).toBe(0)
  }
  expect(sumOf(stopWidths)).toBe(13)
})

test.each<[string, number[]]>([
  ['123456', [105, 12, 34, 56, 44]],
  ['00', [105, 0, 2]],
  ['12345', [105, 12, 34, 100, 21, 54]],
  ['Wikipedia', [104, 55, 73, 75, 73, 80, 69, 68, 73, 65, 88]],
  ['7', [104, 23, 24]],
])('code128 encodes %s as the symbol values %j', (text, values) => {
  expect(code128(text)).toEqual(values)
})

test.each(['', 'ñ', '12\n34', '１２'])('code128 and barcodeOf return undefined for the text %j', text => {
  expect(code128(text)).toBeUndefined()
  expect(barcodeOf(text)).toBeUndefined()
})

test('barcodeOf draws start, data, check and stop symbols between two quiet zones', () => {
  const { modules, bars } = barcodeOf('1234') ?? { modules: 0, bars: [] }
  expect(modules).toBe(2 * quietModules + 4 * 11 + 13)
  expect(bars).toHaveLength(4 * 3 + 4)
  expect(bars.slice(0, 4)).toEqual([
    { x: 10, width: 2 },
    { x: 13, width: 1 },
    { x: 16, width: 3 },
    { x: 21, width: 1 },
  ])
  expect(bars.at(-1)).toEqual({ x: modules - quietModules - 2, width: 2 })
})
