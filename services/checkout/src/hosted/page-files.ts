import { ApiError } from '@cobro/contracts'
import { readBuiltPage } from '@cobro/hosted-page/page-inventory'
import type { Response } from 'express'

/** Assets have a hash of their content in their names, so that browsers may cache them forever. */
const assetHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' }

/**
 * Reads the build of the hosted page into memory. Throws if a file is not the one of the build's inventory, so that checkout
 * does not start with it; what is changed on the disk afterwards is not served. Files outside of the inventory do not exist.
 */
export function openPageFiles() {
  const files = new Map(readBuiltPage().map(file => [file.path, file]))
  const index = files.get('index.html')
  if (!index) throw new Error('The inventory of the hosted page has no index.html.')
  return {
    index: index.content,
    /** Sends an asset or throws `not_found`. */
    sendAsset: async (name: string, response: Response) => {
      const file = files.get(`assets/${name}`)
      if (!file) throw new ApiError('not_found')
      response
        .set(assetHeaders)
        .type(name.slice(name.lastIndexOf('.')))
        .send(file.content)
    },
  }
}

export type PageFiles = ReturnType<typeof openPageFiles>
