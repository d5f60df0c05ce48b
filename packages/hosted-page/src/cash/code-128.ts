/** The widths of each symbol's bars and spaces, starting with a bar, by value: ISO/IEC 15417. */
const widths =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232'

export const symbolWidths: readonly string[] = widths.split(' ')
export const stopWidths = '2331112'

const toSetB = 100
const startB = 104
const startC = 105

/** The quiet zone that a scanner needs on each side, in modules. */
export const quietModules = 10

/**
 * Returns a text's Code 128 symbols, start to check symbol; undefined if set B cannot encode it.
 * Digits are encoded in pairs (set C), a last odd one alone (set B); other texts use set B only.
 */
export function code128(text: string): number[] | undefined {
  if (!/^[ -~]+$/.test(text)) return undefined
  const values = /^\d{2,}$/.test(text) ? digitSymbols(text) : [startB, ...setB(text)]
  const sum = values.reduce((total, value, position) => total + value * Math.max(position, 1), 0)
  return [...values, sum % 103]
}

function digitSymbols(digits: string): number[] {
  const pairs = (digits.match(/\d\d/g) ?? []).map(Number)
  return digits.length % 2 === 0 ? [startC, ...pairs] : [startC, ...pairs, toSetB, ...setB(digits.slice(-1))]
}

function setB(text: string): number[] {
  return [...text].map(char => char.charCodeAt(0) - 32)
}

/** Returns a text's bars and width with quiet zones, in modules, or undefined like `code128`. */
export function barcodeOf(text: string) {
  const values = code128(text)
  if (!values) return undefined
  const runs = [...values.map(value => symbolWidths[value]), stopWidths].join('')
  const bars: { x: number; width: number }[] = []
  let x = quietModules
  for (const [i, run] of [...runs].entries()) {
    // Each symbol has as many bars as spaces, so bars and spaces alternate throughout.
    if (i % 2 === 0) bars.push({ x, width: Number(run) })
    x += Number(run)
  }
  return { modules: x + quietModules, bars }
}
