import { ApiError } from '@cobro/contracts'
import type { Request } from 'express'

/** The header of the dashboard's calls. Other sites cannot send it without a preflight, which is refused. */
const dashboardHeader = 'x-cobro-dashboard'

/**
 * Throws a 403 unless a call comes from a page of this deployment. Its cookie is sent by the browser, so another site could
 * otherwise use it. Browsers send `Sec-Fetch-Site` to https and to this machine only.
 */
export function checkBrowserCall({ headers }: Request, publicUrl: string): void {
  const { origin, protocol } = new URL(publicUrl)
  const site = headers['sec-fetch-site'] ?? (protocol === 'https:' ? 'none' : 'same-origin')
  if (headers.origin !== origin) throw new ApiError('forbidden', 'expected a call of a page of this deployment')
  if (site !== 'same-origin' || headers[dashboardHeader] !== '1')
    throw new ApiError('forbidden', 'expected a call of the dashboard')
}
