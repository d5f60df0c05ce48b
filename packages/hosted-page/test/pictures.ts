import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'

const folder = new URL('../docs/screens/', import.meta.url)
const across = 12
const down = 24

/** How much of a picture's brightness, of 255, may lie elsewhere: other fonts and hinting move text, not boxes. */
export const toleratedDifference = 6
/** How much longer or shorter a page may be where other fonts break lines elsewhere. */
export const toleratedLength = 0.12

/** A picture as it is compared: its size, and the mean brightness of each cell of a coarse grid. */
export interface Sketch {
  readonly width: number
  readonly height: number
  readonly cells: readonly number[]
}

export const takePicture = (page: Page): Promise<Buffer> =>
  page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })

/** Makes sketches in a page of the browser's own, so that no image library is needed. */
export async function openDarkroom(browser: Browser): Promise<(picture: Buffer) => Promise<Sketch>> {
  const page = await browser.newPage()
  return picture => page.evaluate(sketchInPage, { png: picture.toString('base64'), across, down })
}

async function sketchInPage({ png, across, down }: { png: string; across: number; down: number }) {
  const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const sums = new Array<number>(across * down).fill(0)
  const counts = new Array<number>(across * down).fill(0)
  for (let y = 0; y < height; y++) {
    const row = Math.floor((y * down) / height) * across
    for (let x = 0; x < width; x++) {
      const cell = row + Math.floor((x * across) / width)
      const i = (y * width + x) * 4
      sums[cell] = (sums[cell] ?? 0) + 0.299 * (data[i] ?? 0) + 0.587 * (data[i + 1] ?? 0) + 0.114 * (data[i + 2] ?? 0)
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
  return { width, height, cells: sums.map((sum, i) => sum / (counts[i] || 1)) }
}

/** The mean difference of two sketches' cells, of 255. */
export function differenceOf(a: Sketch, b: Sketch): number {
  return a.cells.reduce((sum, cell, i) => sum + Math.abs(cell - (b.cells[i] ?? 0)), 0) / a.cells.length
}

/** How two pictures differ more than they may; nothing where they do not. */
export function unlike(a: Sketch, b: Sketch): string[] {
  const faults: string[] = []
  if (a.width !== b.width) faults.push(`${a.width} px wide instead of ${b.width}`)
  if (Math.abs(a.height - b.height) > b.height * toleratedLength)
    faults.push(`${a.height} px high instead of ${b.height}`)
  const difference = differenceOf(a, b)
  if (difference > toleratedDifference) faults.push(`brightness differs by ${difference.toFixed(1)} on average`)
  return faults
}

export const keptPicture = (name: string): Promise<Buffer> => readFile(new URL(`${name}.png`, folder))

export async function keepPicture(name: string, picture: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(`${name}.png`, folder), picture)
}
