/** Returns a share as a number from 0 to 1; undefined if the whole is nothing. */
export function shareOf(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined
}

/** Returns the least round number that is not below any of the given ones: 1, 2 or 5 times a power of ten. */
export function roundMaximum(values: readonly number[]): number {
  const greatest = Math.max(1, ...values)
  const power = 10 ** Math.floor(Math.log10(greatest))
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= greatest) ?? greatest
}
