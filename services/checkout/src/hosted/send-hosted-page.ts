import { isId } from '@cobro/contracts'
import type { Database } from '@cobro/database'
import { pageSecurityHeaders } from '@cobro/hosted-page/page-security-headers'
import { setInternalHeaders } from '@cobro/http'
import { updateCallContext } from '@cobro/runtime'
import type { Response } from 'express'
import { isLink, payableEntity } from '../payables/payable.ts'
import type { PageFiles } from './page-files.ts'

/**
 * Sends the payer's page of a session (`cs`) or link (`pl`). An unknown id gets the page with 404:
 * it then requests the session, gets a 404 too, and explains it in the payer's language.
 */
export async function sendHostedPage(
  { db, files, rules }: { db: Database; files: PageFiles; rules: { hostedUrl: string } },
  prefix: 'cs' | 'pl',
  id: string,
  response: Response,
): Promise<void> {
  const payable = isId(prefix, id) ? await db.read(em => em.findOne(payableEntity(id), { id })) : null
  if (payable) updateCallContext(payable)
  setInternalHeaders(response)
  const logoUrl = payable && !isLink(payable) ? payable.ui_config?.logo_url : undefined
  response
    .status(payable ? 200 : 404)
    .set(pageSecurityHeaders({ logoUrl, secure: rules.hostedUrl.startsWith('https:') }))
    .send(files.index)
}
