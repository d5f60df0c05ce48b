import { randomBytes } from 'node:crypto'
import { ApiError, dashboardOperations } from '@cobro/contracts'
import { type BuiltDashboard, noncePlaceholder } from '@cobro/dashboard'
import { page, type Route } from '@cobro/http'
import type { Response } from 'express'
import { immutable, rememberSuccess, type ServedFile, sendServedFile, servedFile } from '../files/served-file.ts'
import { dashboardHeaders } from './dashboard-policy.ts'

/** The dashboard. Its page is the same for every screen, but for the nonce of its policy. */
export function dashboardRoutes({ dashboard }: { dashboard: BuiltDashboard }): Route[] {
  const once = rememberSuccess<ServedFile>()
  const sendPage = async (response: Response) => {
    const nonce = randomBytes(16).toString('base64')
    response.set(dashboardHeaders(nonce)).type('html').send(dashboard.page.replaceAll(noncePlaceholder, nonce))
  }
  return [
    page(dashboardOperations.home, (_call, response) => sendPage(response)),
    page(dashboardOperations.withSlash, (_call, response) => sendPage(response)),
    page(dashboardOperations.screen, (_call, response) => sendPage(response)),
    page(dashboardOperations.asset, async ({ params: { file } }, response) => {
      const asset = dashboard.assets.get(file)
      if (!asset) throw new ApiError('not_found')
      await sendServedFile(await once(file, () => servedFile(asset, asset.content)), response, immutable)
    }),
  ]
}
