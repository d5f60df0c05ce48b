import { print } from './bench-stack.ts'

/** Prints a line of a table of measurements. */
export function printLine(name: string, cells: string[]): void {
  print(`${name.padEnd(34)}${cells.map(cell => cell.padStart(10)).join('')}`)
}

/** Prints a measurement of Cobro and of the floor, with their ratio. */
export function printRatio(name: string, cobro: number, floor: number): void {
  printLine(name, [cobro, floor, cobro / floor].map(shown))
}

/** Returns a measurement as text; an empty one if there is none. */
export const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 2 : 1) : '')
