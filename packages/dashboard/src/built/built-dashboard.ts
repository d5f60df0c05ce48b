import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the page has in place of the nonce of its content security policy, which differs from answer to answer. */
export const noncePlaceholder = '__NONCE__'

/** The built dashboard: one page for all screens, and the files that it loads, whose names have a hash of their content. */
export interface BuiltDashboard {
  readonly page: string
  /** Returns the type and content of a file; undefined if there is none. */
  readonly asset: (name: string) => { type: string; content: () => Promise<Buffer> } | undefined
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The folder of the build. */
function buildFolder(): string {
  return join(fileURLToPath(import.meta.resolve('@cobro/dashboard/package.json')), '..', 'dist', 'app')
}

/** Reads the built dashboard. Throws if it is not built. */
export function readBuiltDashboard(folder: string = buildFolder()): BuiltDashboard {
  try {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    const names = new Set(readdirSync(join(folder, 'assets')))
    return {
      page,
      asset: name => {
        const type = names.has(name) ? types[extname(name)] : undefined
        return type ? { type, content: () => readFile(join(folder, 'assets', name)) } : undefined
      },
    }
  } catch (cause) {
    throw new Error('The dashboard is not built: run `pnpm --filter @cobro/dashboard build`.', { cause })
  }
}
