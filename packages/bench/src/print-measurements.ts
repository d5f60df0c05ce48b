import { print } from './bench-stack.ts'
import { median } from './median.ts'

/** Prints a line of a table of measurements. */
export function printLine(name: string, cells: string[]): void {
  print(`${name.padEnd(34)}${cells.map(cell => cell.padStart(12)).join('')}`)
}

/** The columns of `printRatio`. */
export const ratioColumns = ['Cobro', 'floor', 'ratio', 'rounds']

/** Prints a measurement of rounds in turns of Cobro and the floor: the medians, and the ratios of the two in one round. */
export function printRatio(name: string, cobro: number[], floor: number[]): void {
  const ratios = cobro.map((value, round) => value / (floor[round] ?? Number.NaN))
  const [least, most] = [shown(Math.min(...ratios)), shown(Math.max(...ratios))]
  const range = ratios.length > 1 && least && most ? `${least}–${most}` : ''
  printLine(name, [...[median(cobro), median(floor), median(ratios)].map(shown), range])
}

/** Returns a measurement as text; an empty one if there is none. */
export const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : 1) : '')
