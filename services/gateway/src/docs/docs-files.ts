import { type DocsFile, readDocsFile, readDocsManifest } from '@cobro/docs'
import { rememberSuccess, type ServedFile, servedFile } from '../files/served-file.ts'

/** A file of the documentation as this deployment serves it. */
export interface ServedDocsFile extends ServedFile, Pick<DocsFile, 'kind'> {}

export interface DocsFiles {
  /** Returns the API description, which the first call generates. */
  description: () => Promise<ServedDocsFile>
  /** Returns a file by its address below `/docs`; undefined if there is none. */
  find: (path: string) => Promise<ServedDocsFile> | undefined
}

/**
 * Reads the list of the documentation's files. A file is read and compressed when it is first asked for, and the API
 * description, which takes a third of a second to generate, too: a start does not wait for them.
 */
export function openDocs(publicUrl: string): DocsFiles {
  const { exampleUrl, files } = readDocsManifest()
  const ownUrl = publicUrl.replace(/\/+$/, '')
  const once = rememberSuccess<ServedDocsFile>()
  const serve = async (file: DocsFile) => {
    const bytes = await readDocsFile(file)
    // An asset is named after its content, which the address must not change.
    if (file.kind !== 'page' && file.kind !== 'text') return servedDocsFile(file, bytes)
    return servedDocsFile(file, Buffer.from(bytes.toString().replaceAll(exampleUrl, () => ownUrl)))
  }
  return {
    description: () => once('/openapi.json', () => generateDescription(publicUrl)),
    find: path => {
      const file = Object.hasOwn(files, path) ? files[path] : undefined
      return file && once(path, () => serve(file))
    },
  }
}

async function servedDocsFile({ type, kind }: Pick<DocsFile, 'type' | 'kind'>, bytes: Buffer): Promise<ServedDocsFile> {
  // Downloads and pictures are compressed already.
  const isCompressible = kind !== 'download' && type !== 'image/png'
  return { kind, ...(await servedFile({ type, isCompressible }, bytes)) }
}

async function generateDescription(serverUrl: string): Promise<ServedDocsFile> {
  const { apiDescription } = await import('@cobro/http/openapi')
  const bytes = Buffer.from(JSON.stringify(apiDescription({ serverUrl })))
  return servedDocsFile({ type: 'application/json; charset=utf-8', kind: 'text' }, bytes)
}
