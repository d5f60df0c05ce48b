import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Sketch } from './darkroom.ts'

const folder = new URL('../docs/screens/', import.meta.url)

/** By how much, of 255, the brightness of a cell may lie off: another font changes letters by less, a box by more. */
const otherCell = 16
/** How far up or down a cell may have moved, in cells, where other fonts break lines elsewhere. */
const mostMoved = 1
/**
 * Which share of the cells may be others. Among the fonts tried it was at most 4.8 % in narrow windows and 2.1 % in wide
 * ones, which are emptier; a notice more or less makes 18 % and 14 %.
 */
const toleratedShare = (width: number) => (width < 600 ? 0.06 : 0.03)
/** How much longer or shorter a page may be where other fonts break lines elsewhere. */
const toleratedLength = 0.12

/** The whole page, or what the window shows of it where a dialog covers that. */
export async function takePicture(page: Page): Promise<Buffer> {
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  return page.screenshot({ fullPage, animations: 'disabled', caret: 'hide' })
}

/** Which share of a picture's cells has no like in the other at its place, or a little above or below it. */
export function differenceOf(a: Sketch, b: Sketch): number {
  return Math.max(shareWithoutLike(a, b), shareWithoutLike(b, a))
}

function shareWithoutLike(a: Sketch, b: Sketch): number {
  const hasLike = (cell: number, x: number, y: number) =>
    b.rows.slice(Math.max(0, y - mostMoved), y + mostMoved + 1).some(row => Math.abs(cell - (row[x] ?? 0)) <= otherCell)
  const others = a.rows.flatMap((row, y) => row.filter((cell, x) => !hasLike(cell, x, y)))
  return others.length / (a.rows.length * (a.rows[0]?.length ?? 1))
}

/** In what a picture differs from the kept one by more than it may; empty where it does not. */
export function unlike(taken: Sketch, kept: Sketch): string[] {
  const faults: string[] = []
  if (taken.width !== kept.width) faults.push(`${taken.width} px wide instead of ${kept.width}`)
  if (Math.abs(taken.height - kept.height) > kept.height * toleratedLength)
    faults.push(`${taken.height} px high instead of ${kept.height}`)
  const share = differenceOf(taken, kept)
  if (share > toleratedShare(kept.width)) faults.push(`${(share * 100).toFixed(1)} % of its cells are others`)
  return faults
}

export const keptPicture = (name: string): Promise<Buffer> => readFile(new URL(`${name}.png`, folder))

export async function keepPicture(name: string, picture: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(`${name}.png`, folder), picture)
}
