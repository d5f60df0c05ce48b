import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { screenPictures } from './screen-pictures.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'screens-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Writes the beginning of a PNG file, and a number that makes its content another one. */
function write(name: string, width: number, height: number, content = 0): void {
  const bytes = Buffer.alloc(32)
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(content, 24)
  writeFileSync(join(folder, name), bytes)
}

test('a picture has the size of its file, and a second file for dark pages where there is one', () => {
  write('home-360.png', 360, 740)
  write('home-1440-light.png', 1440, 900)
  write('home-1440-dark.png', 1440, 900)
  write('keys-360.png', 360, 740)
  const { find, files } = screenPictures(folder)
  expect(find('screens/home-360')).toEqual({
    light: expect.stringMatching(/^\/docs\/assets\/home-360-[\w-]{10}\.png$/),
    dark: undefined,
    width: 360,
    height: 740,
  })
  const { light, dark, ...size } = find('screens/home-1440')
  expect(size).toEqual({ width: 1440, height: 900 })
  expect(files().map(({ path }) => `/docs/${path}`)).toEqual([find('screens/home-360').light, light, dark])
  expect(files().every(({ type, kind }) => type === 'image/png' && kind === 'asset')).toBe(true)
})

test('another content has another address', () => {
  const addressOf = (content: number) => {
    write('home-360.png', 360, 740, content)
    return screenPictures(folder).find('screens/home-360').light
  }
  expect(addressOf(1)).not.toBe(addressOf(2))
  expect(addressOf(1)).toBe(addressOf(1))
})

test.each(['screens/none', 'home-360', 'screens/../home-360', 'https://example.com/home.png'])(
  'the picture %s does not exist',
  name => {
    write('home-360.png', 360, 740)
    expect(() => screenPictures(folder).find(name)).toThrow(`There is no picture ${name}.`)
  },
)

test('a file that is no PNG is refused', () => {
  writeFileSync(join(folder, 'home-360.png'), 'GIF89a and some more bytes')
  expect(() => screenPictures(folder).find('screens/home-360')).toThrow('home-360.png is no PNG file')
})
