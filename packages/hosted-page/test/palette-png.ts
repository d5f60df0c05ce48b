import { crc32, deflateSync } from 'node:zlib'
import { PNG } from 'pngjs'

// pngjs reads palettes but does not write them, and RGB files of the same screenshots are 3.1 times as large. sharp writes
// palettes but adds native libraries of 20 MB, so this file writes the four chunks itself.

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Encodes a PNG again with a palette of at most 256 colors. */
export function encodeWithPalette(png: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(png)
  const { colors, indices } = choosePalette(new Uint32Array(data.buffer, data.byteOffset, width * height))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits per pixel, color type 3: each pixel is an index into the palette.
  header.set([8, 3], 8)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) rows.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colors.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Keeps the 256 commonest colors; rarer ones take the nearest one, invisible at letter edges. */
function choosePalette(pixels: Uint32Array) {
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const byCount = [...counts].sort((a, b) => b[1] - a[1]).map(([color]) => color)
  const palette = byCount.slice(0, 256)
  const colors = palette.map(rgb)
  const indexOf = new Map(palette.map((color, i) => [color, i]))
  for (const color of byCount.slice(256)) {
    const [r, g, b] = rgb(color)
    const distances = colors.map(([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2)
    indexOf.set(color, distances.indexOf(Math.min(...distances)))
  }
  return { colors, indices: Uint8Array.from(pixels, pixel => indexOf.get(pixel) ?? 0) }
}

const rgb = (color: number) => [color & 255, (color >> 8) & 255, (color >> 16) & 255] as const

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
