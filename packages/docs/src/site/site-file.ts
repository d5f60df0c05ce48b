import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import type { DocsFile } from '../built/built-docs.ts'

/** A file of the site. */
export interface SiteFile extends Omit<DocsFile, 'file'> {
  /** Its address below `/docs`. */
  path: string
  content: Buffer
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

export function textFile(path: string, text: string, kind: DocsFile['kind']): SiteFile {
  const type = kind === 'text' ? (types[extname(path)] ?? '') : 'text/html; charset=utf-8'
  return { path, content: Buffer.from(text), type, kind }
}

/** Returns an asset whose name has a hash of its content, so that browsers may keep it. */
export function hashedAsset(name: string, content: Buffer): SiteFile {
  const ending = extname(name)
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  return assetFile(`${name.slice(0, -ending.length)}-${hash}${ending}`, content)
}

/** Returns an asset that has a hash in its name already. */
export const assetFile = (name: string, content: Buffer): SiteFile => ({
  path: `assets/${name}`,
  content,
  type: types[extname(name)] ?? 'application/octet-stream',
  kind: 'asset',
})
