import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the page has in place of the nonce of its content security policy, which differs from answer to answer. */
export const noncePlaceholder = '__NONCE__'

/** The built dashboard: one page for all screens, and the files that it loads, whose names have a hash of their content. */
export interface BuiltDashboard {
  readonly page: string
  /** The files by their names. */
  readonly assets: ReadonlyMap<string, { readonly type: string; readonly content: Buffer }>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The folder of the build. */
function buildFolder(): string {
  return join(fileURLToPath(import.meta.resolve('@cobro/dashboard/package.json')), '..', 'dist', 'app')
}

/** Reads the built dashboard, half a megabyte, so that a later build changes nothing of it. Throws if it is not built. */
export function readBuiltDashboard(folder: string = buildFolder()): BuiltDashboard {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    const assets = readdirSync(join(folder, 'assets')).map(name => {
      const type = types[extname(name)] ?? 'application/octet-stream'
      return [name, { type, content: readFileSync(join(folder, 'assets', name)) }] as const
    })
    return { page, assets: new Map(assets) }
  } catch (cause) {
    throw new Error('The dashboard is not built: run `pnpm --filter @cobro/dashboard build`.', { cause })
  }
}
