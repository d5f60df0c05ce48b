import type { Browser } from 'playwright-core'
import { palettePng } from './palette-png.ts'

/** How a picture is seen from far: its size, and rows of cells with the mean brightness, of 255, of each. */
export interface Sketch {
  readonly width: number
  readonly height: number
  readonly rows: readonly (readonly number[])[]
}

export interface Darkroom {
  /** Looks at a PNG from far. */
  readonly sketch: (png: Buffer) => Promise<Sketch>
  /** The same picture in few bytes and at most 256 colours. */
  readonly shrink: (png: Buffer) => Promise<Buffer>
}

/** A cell's size in pixels: smaller than any box or button of the page, larger than a line's letters. */
const cell = { wide: 20, high: 20 }

/** Develops pictures in a page of the browser's own, so that no image library is needed. */
export async function openDarkroom(browser: Browser): Promise<Darkroom> {
  const page = await browser.newPage()
  return {
    sketch: png => page.evaluate(sketchInPage, { png: png.toString('base64'), ...cell }),
    shrink: async png => {
      const { colors, indices, ...size } = await page.evaluate(paletteInPage, png.toString('base64'))
      return palettePng({ ...size, colors: Buffer.from(colors), indices: Buffer.from(indices, 'base64') })
    },
  }
}

async function sketchInPage({ png, wide, high }: { png: string; wide: number; high: number }): Promise<Sketch> {
  const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d', {
    willReadFrequently: true,
  }) as OffscreenCanvasRenderingContext2D
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const sums = Array.from({ length: Math.floor(height / high) }, () => new Float64Array(Math.floor(width / wide)))
  for (let y = 0; y < sums.length * high; y++) {
    const row = sums[Math.floor(y / high)]!
    for (let x = 0; x < row.length * wide; x++) {
      const i = (y * width + x) * 4
      row[Math.floor(x / wide)]! += 0.299 * data[i]! + 0.587 * data[i + 1]! + 0.114 * data[i + 2]!
    }
  }
  return { width, height, rows: sums.map(row => [...row].map(sum => sum / (wide * high))) }
}

/** The commonest colours win; a rarer one becomes the nearest of them, which the eye does not see at the edges of letters. */
async function paletteInPage(png: string) {
  const bytes = Uint8Array.from(atob(png), letter => letter.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d', {
    willReadFrequently: true,
  }) as OffscreenCanvasRenderingContext2D
  context.drawImage(image, 0, 0)
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const kept = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color)
  const palette = kept.slice(0, 256)
  const parts = (color: number) => [color & 255, (color >> 8) & 255, (color >> 16) & 255] as const
  const colors = palette.map(parts)
  const indexOf = new Map(palette.map((color, i) => [color, i]))
  for (const color of kept.slice(256)) {
    const [r, g, b] = parts(color)
    const far = colors.map(([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2)
    indexOf.set(color, far.indexOf(Math.min(...far)))
  }
  let indices = ''
  for (const pixel of pixels) indices += String.fromCharCode(indexOf.get(pixel) ?? 0)
  return { width, height, colors: colors.flat(), indices: btoa(indices) }
}
