import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the documentation. */
export interface DocsFile {
  /** Its path in the build. */
  readonly file: string
  readonly type: string
  /** `page`: a page, which runs our scripts alone; `console`: the page with Swagger UI; `asset`: its name has a hash of its content. */
  readonly kind: 'page' | 'console' | 'asset' | 'text' | 'download'
}

/** The build's files by their addresses below `/docs`, and the address that their texts name instead of the deployment's. */
export interface DocsManifest {
  readonly exampleUrl: string
  readonly files: Readonly<Record<string, DocsFile>>
}

/** The folder of the build. */
function builtDocsFolder(): string {
  return join(fileURLToPath(import.meta.resolve('@cobro/docs/package.json')), '..', 'dist', 'site')
}

/** Reads the list of the documentation's files. Throws if it is not built. */
export function readDocsManifest(folder: string = builtDocsFolder()): DocsManifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as DocsManifest
  } catch (cause) {
    throw new Error('The documentation is not built: run `pnpm --filter @cobro/docs build`.', { cause })
  }
}

/** Reads a file of the documentation. */
export function readDocsFile({ file }: DocsFile, folder: string = builtDocsFolder()): Promise<Buffer> {
  return readFile(join(folder, file))
}
