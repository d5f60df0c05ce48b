import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApiError } from '@cobro/contracts'
import type { Response } from 'express'

/** Assets have a hash of their content in their names, so that browsers may cache them forever. */
const assetOptions = {
  immutable: true,
  maxAge: '1y',
  lastModified: false,
  acceptRanges: false,
  headers: { 'X-Content-Type-Options': 'nosniff' },
}

/**
 * Opens the build of the hosted page. Throws without one, because checkout needs its page.
 * `sendFile` uses `send`, as serve-static does. A static file server would be a layer beside the declared operation,
 * which validates the name and answers errors in the API's format.
 */
export function openPageFiles() {
  const folder = join(fileURLToPath(import.meta.resolve('@cobro/hosted-page/package.json')), '..', 'dist')
  let index: string
  try {
    index = readFileSync(join(folder, 'index.html'), 'utf8')
  } catch (cause) {
    throw new Error('The hosted page is not built: run `pnpm --filter @cobro/hosted-page build`.', { cause })
  }
  const root = join(folder, 'assets')
  return {
    index,
    /** Sends an asset or throws `not_found`. `sendFile` serves only `root`, without dotfiles. */
    sendAsset: (name: string, response: Response) =>
      new Promise<void>((resolve, reject) => {
        response.sendFile(name, { root, ...assetOptions }, error => {
          // Once the headers are sent, an error means that the client has disconnected.
          if (!error || response.headersSent) resolve()
          else reject(new ApiError('not_found', undefined, { cause: error }))
        })
      }),
  }
}

export type PageFiles = ReturnType<typeof openPageFiles>
