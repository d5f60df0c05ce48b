import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type DocsFile, readDocsFile, readDocsManifest } from '@cobro/docs'

/** A file of the documentation as this deployment serves it. */
export interface ServedFile extends Pick<DocsFile, 'type' | 'kind'> {
  bytes: Buffer
  isCompressed: boolean
  /** Weak, since the bytes may be sent compressed or not. */
  etag: string
}

export interface DocsFiles {
  /** Returns the API description, which the first call generates. */
  description: () => Promise<ServedFile>
  /** Returns a file by its address below `/docs`; undefined if there is none. */
  find: (path: string) => Promise<ServedFile> | undefined
}

/**
 * Reads the list of the documentation's files. A file is read and compressed when it is first asked for, and the API
 * description, which takes a third of a second to generate, too: a start does not wait for them.
 */
export function openDocs(publicUrl: string): DocsFiles {
  const { exampleUrl, files } = readDocsManifest()
  const ownUrl = publicUrl.replace(/\/+$/, '')
  const once = rememberSuccess<ServedFile>()
  const serve = async (file: DocsFile) => {
    const bytes = await readDocsFile(file)
    // An asset is named after its content, which the address must not change.
    if (file.kind !== 'page' && file.kind !== 'text') return servedFile(file, bytes)
    return servedFile(file, Buffer.from(bytes.toString().replaceAll(exampleUrl, () => ownUrl)))
  }
  return {
    description: () => once('/openapi.json', () => generateDescription(publicUrl)),
    find: path => {
      const file = Object.hasOwn(files, path) ? files[path] : undefined
      return file && once(path, () => serve(file))
    },
  }
}

/** Remembers results by their names. What fails is tried again the next time. */
function rememberSuccess<T>() {
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

/** Compresses a file where that helps. */
async function servedFile({ type, kind }: Pick<DocsFile, 'type' | 'kind'>, bytes: Buffer): Promise<ServedFile> {
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const compressed = kind === 'download' ? bytes : await promisify(gzip)(bytes)
  const isCompressed = compressed.length < bytes.length
  return { type, kind, etag, isCompressed, bytes: isCompressed ? compressed : bytes }
}

async function generateDescription(serverUrl: string): Promise<ServedFile> {
  const { apiDescription } = await import('@cobro/http/openapi')
  const bytes = Buffer.from(JSON.stringify(apiDescription({ serverUrl })))
  return servedFile({ type: 'application/json; charset=utf-8', kind: 'text' }, bytes)
}
