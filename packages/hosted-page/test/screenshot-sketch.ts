import { PNG } from 'pngjs'

/** A screenshot's size and the mean brightness (0 to 255) of each cell of 20 × 20 pixels. */
export interface Sketch {
  readonly width: number
  readonly height: number
  readonly rows: readonly (readonly number[])[]
}

/** In pixels. Smaller than any box or button of the page, larger than the letters of a line. */
const cellSize = 20

/** Reduces a PNG to a sketch. Incomplete cells at the right and bottom edges are left out. */
export function sketchScreenshot(png: Buffer): Sketch {
  const { width, height, data } = PNG.sync.read(png)
  const sums = Array.from(
    { length: Math.floor(height / cellSize) },
    () => new Float64Array(Math.floor(width / cellSize)),
  )
  for (let y = 0; y < sums.length * cellSize; y++) {
    const row = sums[Math.floor(y / cellSize)]!
    for (let x = 0; x < row.length * cellSize; x++) {
      const i = (y * width + x) * 4
      row[Math.floor(x / cellSize)]! += 0.299 * data[i]! + 0.587 * data[i + 1]! + 0.114 * data[i + 2]!
    }
  }
  return { width, height, rows: sums.map(row => [...row].map(sum => sum / cellSize ** 2)) }
}
