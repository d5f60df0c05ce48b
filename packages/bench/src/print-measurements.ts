import { print } from './bench-stack.ts'
import { median } from './median.ts'

/** Prints a line of a table of measurements. */
export function printLine(name: string, cells: string[]): void {
  print(`${name.padEnd(34)}${cells.map(cell => cell.padStart(12)).join('')}`)
}

/** The last columns of `printRatio`. */
export const ratioColumns = ['ratio', 'rounds']

/** Prints a measurement of rounds in turns of two sides: the median of each, and that and the range of the rounds' ratios. */
export function printRatio(name: string, first: number[], second: number[]): void {
  const ratios = first.map((value, round) => value / (second[round] ?? Number.NaN))
  const [least, most] = [shown(Math.min(...ratios)), shown(Math.max(...ratios))]
  const range = ratios.length > 1 && least && most ? `${least}–${most}` : ''
  printLine(name, [...[median(first), median(second), median(ratios)].map(shown), range])
}

/** Returns a measurement as text; an empty one if there is none. */
export const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : 1) : '')
