import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import type { Sketch } from './screenshot-sketch.ts'

// pixelmatch compares pixel by pixel, so a machine with other fonts would fail every screenshot. Comparing the brightness of cells
// accepts other fonts and still finds a missing notice.

const folder = new URL('../docs/screens/', import.meta.url)

/** The allowed difference in brightness. Another font changes a cell less, a missing box more. */
const maxBrightnessDifference = 16
/** How many cells content may shift in any direction: fonts differ in width and line breaks. */
const maxShift = 1
/**
 * The allowed share of different cells. Another font changes at most 4.6 % in narrow windows
 * (DejaVu Serif, the widest tried) and less in wide, emptier ones; another button color at least 5.6 % and 4.5 %.
 */
const maxDifferentShare = (width: number) => (width < 600 ? 0.051 : 0.03)
/** The allowed relative difference in height, because other fonts wrap lines differently. */
const maxHeightDifference = 0.12

/** Takes a screenshot of the whole page, or of the viewport if a dialog is open. */
export async function takeScreenshot(page: Page): Promise<Buffer> {
  const fullPage = (await page.locator('dialog[open]').count()) === 0
  return page.screenshot({ fullPage, animations: 'disabled', caret: 'hide' })
}

/** Returns the share of cells with no similar cell in the other sketch at or beside their place. */
function differentShare(a: Sketch, b: Sketch): number {
  return Math.max(unmatchedShare(a, b), unmatchedShare(b, a))
}

function unmatchedShare(a: Sketch, b: Sketch): number {
  const hasMatch = (cell: number, x: number, y: number) =>
    b.rows
      .slice(Math.max(0, y - maxShift), y + maxShift + 1)
      .some(row =>
        row
          .slice(Math.max(0, x - maxShift), x + maxShift + 1)
          .some(other => Math.abs(cell - other) <= maxBrightnessDifference),
      )
  const unmatched = a.rows.flatMap((row, y) => row.filter((cell, x) => !hasMatch(cell, x, y)))
  return unmatched.length / (a.rows.length * (a.rows[0]?.length ?? 1))
}

/** Returns how a screenshot differs from the committed one by more than allowed. */
export function differences(taken: Sketch, committed: Sketch): string[] {
  const found: string[] = []
  if (taken.width !== committed.width) found.push(`${taken.width} px wide instead of ${committed.width}`)
  if (Math.abs(taken.height - committed.height) > committed.height * maxHeightDifference)
    found.push(`${taken.height} px high instead of ${committed.height}`)
  const share = differentShare(taken, committed)
  if (share > maxDifferentShare(committed.width)) found.push(`${(share * 100).toFixed(1)} % of its cells are different`)
  return found
}

export const readCommitted = (name: string): Promise<Buffer> => readFile(new URL(`${name}.png`, folder))

export async function writeCommitted(name: string, screenshot: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(`${name}.png`, folder), screenshot)
}
