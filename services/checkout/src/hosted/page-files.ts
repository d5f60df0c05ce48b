import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '@cobro/contracts'

/** The built files of the hosted page. */
export interface PageFiles {
  index: string
  asset(name: string): Promise<{ bytes: Buffer; type: string }>
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Opens the build of the hosted page. Fails where it has not been built: a checkout without a page takes no money. */
export function openPageFiles(): PageFiles {
  const folder = join(fileURLToPath(import.meta.resolve('@cobro/hosted-page/package.json')), '..', 'dist')
  let index: string
  try {
    index = readFileSync(join(folder, 'index.html'), 'utf8')
  } catch (cause) {
    throw new Error('The hosted page is not built: run `pnpm --filter @cobro/hosted-page build`.', { cause })
  }
  return {
    index,
    asset: async name => {
      const type = types[extname(name)]
      if (!type || name !== name.replace(/[^\w.-]/g, '')) throw new ApiError('not_found')
      const bytes = await readFile(join(folder, 'assets', name)).catch(() => {
        throw new ApiError('not_found')
      })
      return { bytes, type }
    },
  }
}
