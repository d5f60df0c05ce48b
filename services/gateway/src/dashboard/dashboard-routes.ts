import { randomBytes } from 'node:crypto'
import { ApiError, dashboardOperations } from '@cobro/contracts'
import { type BuiltAsset, type BuiltDashboard, noncePlaceholder } from '@cobro/dashboard'
import { dashboardHeaders, previewHeaders } from '@cobro/dashboard/policy'
import { page, type Route } from '@cobro/http'
import type { Response } from 'express'
import { etagOf, immutable, type ServedFile, sendServedFile } from '../files/served-file.ts'

/** The dashboard. Its page is the same for every screen, but for the nonce of its policy. */
export function dashboardRoutes({ dashboard }: { dashboard: BuiltDashboard }): Route[] {
  const files = new Map(Array.from(dashboard.assets, ([name, asset]) => [name, servedAsset(asset)]))
  const sendPage = async (response: Response) => {
    const nonce = randomBytes(16).toString('base64')
    response.set(dashboardHeaders(nonce)).type('html').send(dashboard.page.replaceAll(noncePlaceholder, nonce))
  }
  return [
    page(dashboardOperations.home, (_call, response) => sendPage(response)),
    page(dashboardOperations.withSlash, (_call, response) => sendPage(response)),
    page(dashboardOperations.screen, (_call, response) => sendPage(response)),
    page(dashboardOperations.preview, async (_call, response) => {
      response.set(previewHeaders).type('html').send(dashboard.preview)
    }),
    page(dashboardOperations.asset, async ({ params: { file } }, response) => {
      const asset = files.get(file)
      if (!asset) throw new ApiError('not_found')
      await sendServedFile(asset, response, immutable)
    }),
  ]
}

/** A file as the build compressed it: no call waits for that. */
function servedAsset({ type, content, br, gzip }: BuiltAsset): ServedFile {
  return { type, etag: etagOf(content), encoded: { ...(br && { br }), ...(gzip && { gzip }) }, plain: () => content }
}
