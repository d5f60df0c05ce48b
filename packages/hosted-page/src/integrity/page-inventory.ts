import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the built page, and why payers need it. */
export interface PageFile {
  /** Its path below `dist`: `index.html` or `assets/NAME`. */
  readonly path: string
  readonly type: 'page' | 'script' | 'style' | 'image'
  readonly bytes: number
  /** The hash of its bytes, as in an `integrity` attribute: `sha384-` and base64. */
  readonly integrity: string
  /** Whether it is ours and served by us. The page's policy allows nothing else. */
  readonly first_party: true
  readonly purpose: string
  /** The packages from outside of the project whose code a script contains. */
  readonly packages?: readonly { readonly name: string; readonly purpose: string }[]
}

/** Every file that a payer's browser may load, as the build lists them in `dist/inventory.json`. */
export interface PageInventory {
  readonly files: readonly PageFile[]
}

/** A file of the inventory with its bytes. */
export type BuiltFile = PageFile & { readonly content: Buffer }

/** Returns the hash of a file, as in an `integrity` attribute. */
export function integrityOf(content: string | Uint8Array): string {
  return `sha384-${createHash('sha384').update(content).digest('base64')}`
}

/** The folder of the build. */
export function builtPageFolder(): string {
  return join(fileURLToPath(import.meta.resolve('@cobro/hosted-page/package.json')), '..', 'dist')
}

/** Reads the inventory of the build. Throws if the page is not built. */
export function readPageInventory(folder: string = builtPageFolder()): PageInventory {
  try {
    return JSON.parse(readFileSync(join(folder, 'inventory.json'), 'utf8')) as PageInventory
  } catch (cause) {
    throw new Error('The hosted page is not built: run `pnpm --filter @cobro/hosted-page build`.', { cause })
  }
}

/** Reads the built page. Throws if a file is missing or is not the one of the inventory. */
export function readBuiltPage(folder: string = builtPageFolder()): BuiltFile[] {
  return readPageInventory(folder).files.map(file => {
    const content = readFileSync(join(folder, file.path))
    const difference = differenceOf(file, content)
    if (difference) throw new Error(`The hosted page is not the one that was built: ${difference}.`)
    return { ...file, content }
  })
}

/** Says how the content of a file differs from the inventory; undefined if it does not. */
export function differenceOf({ path, bytes, integrity }: PageFile, content: Uint8Array): string | undefined {
  const actual = integrityOf(content)
  if (actual === integrity) return undefined
  return `${path} has ${content.length} bytes with ${actual}, expected ${bytes} bytes with ${integrity}`
}
