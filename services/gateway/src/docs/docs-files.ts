import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type DocsFile, type DocsManifest, readDocsFile, readDocsManifest } from '@cobro/docs'

/** A file of the documentation as this deployment serves it. */
export interface ServedFile extends Pick<DocsFile, 'type' | 'kind'> {
  bytes: Buffer
  isCompressed: boolean
  etag: string
}

export interface DocsFiles {
  /** Returns the API description, which the first call generates. */
  description: () => Promise<Buffer>
  /** Returns a file by its address below `/docs`; undefined if there is none. */
  find: (path: string) => Promise<ServedFile> | undefined
}

/**
 * Reads the list of the documentation's files. A file is read and compressed when it is first asked for, and the API
 * description, which takes a third of a second to generate, too: a start does not wait for them.
 */
export function openDocs(publicUrl: string): DocsFiles {
  const manifest = readDocsManifest()
  const served = new Map<string, Promise<ServedFile>>()
  let description: Promise<Buffer> | undefined
  return {
    description: () => (description ??= generateDescription(publicUrl)),
    find: path => {
      const file = Object.hasOwn(manifest.files, path) ? manifest.files[path] : undefined
      if (!file) return undefined
      const known = served.get(path)
      if (known) return known
      const reading = serve(file, manifest, publicUrl)
      served.set(path, reading)
      // A file that cannot be read is read again the next time.
      reading.catch(() => served.delete(path))
      return reading
    },
  }
}

/** Reads a file, puts the deployment's address into its text, and compresses it where that helps. */
async function serve(file: DocsFile, { exampleUrl }: DocsManifest, publicUrl: string): Promise<ServedFile> {
  const { type, kind } = file
  const read = await readDocsFile(file)
  const isText = kind === 'page' || kind === 'text' || type.startsWith('application/json')
  const bytes = isText ? Buffer.from(read.toString().replaceAll(exampleUrl, publicUrl)) : read
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const compressed = kind === 'download' ? bytes : await promisify(gzip)(bytes)
  const isCompressed = compressed.length < bytes.length
  return { type, kind, etag, isCompressed, bytes: isCompressed ? compressed : bytes }
}

async function generateDescription(serverUrl: string): Promise<Buffer> {
  const { apiDescription } = await import('@cobro/http/openapi')
  return Buffer.from(JSON.stringify(apiDescription({ serverUrl })))
}
