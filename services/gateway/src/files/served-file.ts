import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Response } from 'express'

/** The encodings that files have, those that browsers should get first. */
const encodings = ['br', 'gzip'] as const

/** A file as browsers get it, compressed where that helps. */
export interface ServedFile {
  type: string
  /** Weak, since the bytes may be sent compressed or not. */
  etag: string
  encoded: { br?: Buffer; gzip?: Buffer }
  /** Returns it uncompressed, which few ask for. */
  plain: () => Buffer | Promise<Buffer>
}

/** The headers of a file that is named after its content. */
export const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Compresses a file, unless it is compressed already, as downloads are. */
export async function servedFile(
  { type, isCompressible = true }: { type: string; isCompressible?: boolean },
  bytes: Buffer,
): Promise<ServedFile> {
  const compressed = isCompressible ? await promisify(gzip)(bytes) : bytes
  const file = { type, etag: etagOf(bytes) }
  if (compressed.length >= bytes.length) return { ...file, encoded: {}, plain: () => bytes }
  // Kept once, in the form that almost all get.
  return { ...file, encoded: { gzip: compressed }, plain: () => promisify(gunzip)(compressed) }
}

/** Returns the ETag of a file with this content. */
export function etagOf(bytes: Buffer): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
}

/** Sends a file, or a 304 to a browser that has it. */
export async function sendServedFile(
  { type, etag, encoded, plain }: ServedFile,
  response: Response,
  headers: Record<string, string>,
): Promise<void> {
  const { req } = response
  response.set({ ...headers, ETag: etag, Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' })
  if (response.statusCode === 200 && hasEtag(req.headers['if-none-match'], etag)) return void response.status(304).end()
  response.type(type)
  const encoding = encodings.find(name => encoded[name] && req.acceptsEncodings(name))
  if (encoding) response.set('Content-Encoding', encoding).send(encoded[encoding])
  else response.send(await plain())
}

/** Compares weakly: a proxy may have compressed the file, or have marked its name as weak. */
function hasEtag(header: string | undefined, etag: string): boolean {
  const opaque = (name: string) => name.trim().replace(/^W\//, '')
  return header?.split(',').some(name => opaque(name) === opaque(etag)) ?? false
}

/** Remembers results by their names. What fails is tried again the next time. */
export function rememberSuccess<T>() {
  const known = new Map<string, Promise<T>>()
  return (name: string, work: () => Promise<T>): Promise<T> => {
    const earlier = known.get(name)
    if (earlier) return earlier
    const result = work()
    known.set(name, result)
    result.catch(() => known.delete(name))
    return result
  }
}
