import { isId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { setInternalHeaders } from '@cobro/http'
import { updateCallContext } from '@cobro/runtime'
import type { Response } from 'express'
import { isLink, payableEntity } from '../payables/payable.ts'
import type { PageFiles } from './page-files.ts'
import { pageSecurityHeaders } from './page-security-headers.ts'

/**
 * Sends the payer's page of a session (`cs`) or link (`pl`). An unknown id gets the page with 404:
 * it then requests the session, gets a 404 too, and explains it in the payer's language.
 */
export async function sendHostedPage(
  { db, files }: { db: Database; files: PageFiles },
  prefix: 'cs' | 'pl',
  id: string,
  response: Response,
): Promise<void> {
  const payable = isId(prefix, id) ? await db.read(em => em.findOne(payableEntity(id), { id })) : null
  if (payable) updateCallContext(payable)
  setInternalHeaders(response)
  const logo = payable && !isLink(payable) ? payable.ui_config?.logo_url : undefined
  response
    .status(payable ? 200 : 404)
    .set(pageSecurityHeaders(logo))
    .send(files.index)
}
