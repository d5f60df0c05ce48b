import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Response } from 'express'

/** A file as browsers get it, compressed where that helps. */
export interface ServedFile {
  type: string
  bytes: Buffer
  isCompressed: boolean
  /** Weak, since the bytes may be sent compressed or not. */
  etag: string
}

/** The headers of a file that is named after its content. */
export const immutable = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/** Compresses a file, unless it is compressed already, as downloads are. */
export async function servedFile(
  { type, isCompressible = true }: { type: string; isCompressible?: boolean },
  bytes: Buffer,
): Promise<ServedFile> {
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const compressed = isCompressible ? await promisify(gzip)(bytes) : bytes
  const isCompressed = compressed.length < bytes.length
  return { type, etag, isCompressed, bytes: isCompressed ? compressed : bytes }
}

/** Sends a file, or a 304 to a browser that has it. */
export async function sendServedFile(
  { type, etag, bytes, isCompressed }: ServedFile,
  response: Response,
  headers: Record<string, string>,
): Promise<void> {
  const { req } = response
  response.set({ ...headers, ETag: etag, Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' })
  if (response.statusCode === 200 && hasEtag(req.headers['if-none-match'], etag)) return void response.status(304).end()
  response.type(type)
  if (!isCompressed) return void response.send(bytes)
  if (!req.acceptsEncodings('gzip')) return void response.send(await promisify(gunzip)(bytes))
  response.set('Content-Encoding', 'gzip').send(bytes)
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
