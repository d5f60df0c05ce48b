import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the page has in place of the nonce of its content security policy, which differs from answer to answer. */
export const noncePlaceholder = '__NONCE__'

/** The built dashboard: one page for all screens, and the files that it loads, whose names have a hash of their content. */
export interface BuiltDashboard {
  readonly page: string
  /** The preview of a payment link, which the page shows in a frame. */
  readonly preview: string
  /** The files by their names. */
  readonly assets: ReadonlyMap<string, BuiltAsset>
}

/** A file of the build, also as it was compressed, where that made it smaller. */
export interface BuiltAsset {
  readonly type: string
  readonly content: Buffer
  readonly br?: Buffer
  readonly gzip?: Buffer
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

/** Reads the built dashboard, about a megabyte, so that a later build changes nothing of it. Throws if it is not built. */
export function readBuiltDashboard(folder: string = buildFolder()): BuiltDashboard {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    const preview = readFileSync(join(folder, 'preview.html'), 'utf8')
    const files = new Map(
      readdirSync(join(folder, 'assets')).map(name => [name, readFileSync(join(folder, 'assets', name))]),
    )
    const assets = new Map<string, BuiltAsset>()
    for (const [name, content] of files) {
      if (/\.(br|gz)$/.test(name)) continue
      const [br, gzip] = [files.get(`${name}.br`), files.get(`${name}.gz`)]
      const type = types[extname(name)] ?? 'application/octet-stream'
      assets.set(name, { type, content, ...(br && { br }), ...(gzip && { gzip }) })
    }
    return { page, preview, assets }
  } catch (cause) {
    throw new Error('The dashboard is not built: run `pnpm --filter @cobro/dashboard build`.', { cause })
  }
}
