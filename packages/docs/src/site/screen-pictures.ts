import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FindPicture, Picture } from '../markdown/picture.ts'
import { hashedAsset, type SiteFile } from './site-file.ts'

/** The pictures of a folder that pages have named. */
export interface ScreenPictures {
  find: FindPicture
  files: () => SiteFile[]
}

/**
 * Finds pictures by `screens/name`, which is `name.png`, or `name-light.png` and `name-dark.png`. Their owner may replace them at
 * any time: names and sizes follow from what they contain, and only those that pages name are part of the site.
 */
export function screenPictures(folder: string): ScreenPictures {
  const used = new Map<string, SiteFile>()
  const addressOf = (name: string) => {
    const file = used.get(name) ?? hashedAsset(name, readFileSync(join(folder, name)))
    used.set(name, file)
    return `/docs/${file.path}`
  }
  const find = (wanted: string): Picture => {
    const [, name = ''] = /^screens\/([\w-]+)$/.exec(wanted) ?? []
    const looks = [`${name}.png`, `${name}-light.png`, `${name}-dark.png`]
    const [light, dark] = looks.filter(file => existsSync(join(folder, file)))
    if (name === '' || light === undefined) throw new Error(`There is no picture ${wanted}.`)
    return {
      light: addressOf(light),
      dark: dark === undefined ? undefined : addressOf(dark),
      ...sizeOf(light, readFileSync(join(folder, light))),
    }
  }
  return { find, files: () => [...used.values()] }
}

/** A PNG file begins with its signature and the chunk IHDR, which begins with the width and the height. */
function sizeOf(name: string, content: Buffer): Pick<Picture, 'width' | 'height'> {
  if (content.toString('latin1', 12, 16) !== 'IHDR') throw new Error(`${name} is no PNG file.`)
  return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) }
}
