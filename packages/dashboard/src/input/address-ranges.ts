/**
 * Returns the address ranges of a text, with commas, spaces or lines between them; `null` for none. One address is a range of itself.
 */
export function rangesOf(text: string): string[] | null {
  const ranges = text.split(/[\s,]+/).filter(part => part !== '')
  return ranges.length === 0 ? null : ranges.map(withLength)
}

function withLength(range: string): string {
  if (range.includes('/')) return range
  return `${range}/${range.includes(':') ? 128 : 32}`
}
