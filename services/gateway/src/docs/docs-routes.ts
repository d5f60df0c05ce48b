import { ApiError, docsOperations } from '@cobro/contracts'
import { page, type Route } from '@cobro/http'
import type { Response } from 'express'
import { immutable, sendServedFile } from '../files/served-file.ts'
import type { DocsFiles, ServedDocsFile } from './docs-files.ts'

const strict = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** Swagger UI sets inline styles and uses data URLs for images. */
const withSwaggerUi = strict.map(rule => {
  if (rule.startsWith('style-src')) return `${rule} 'unsafe-inline'`
  return rule.startsWith('img-src') ? `${rule} data:` : rule
})

/** A page may change with each version of the deployment, so that browsers ask each time whether it has. */
const headersOf: Record<ServedDocsFile['kind'], Record<string, string>> = {
  page: { 'Cache-Control': 'no-cache', 'Content-Security-Policy': strict.join('; ') },
  console: { 'Cache-Control': 'no-cache', 'Content-Security-Policy': withSwaggerUi.join('; ') },
  text: { 'Cache-Control': 'no-cache' },
  download: { 'Cache-Control': 'no-cache' },
  asset: immutable,
}

export function docsRoutes({ docs }: { docs: DocsFiles }): Route[] {
  return [
    page(docsOperations.openApi, async (_call, response) => send(await docs.description(), response)),
    page(docsOperations.withSlash, async (_call, response) => response.redirect(308, '/docs')),
    page(docsOperations.docs, (_call, response) => sendFile(docs, '', response)),
    page(docsOperations.page, ({ params }, response) => sendFile(docs, params.page, response)),
    page(docsOperations.file, ({ params }, response) => sendFile(docs, `${params.chapter}/${params.file}`, response)),
  ]
}

/** Sends a file; if there is none, a page that says so, or an error to programs. */
async function sendFile(docs: DocsFiles, path: string, response: Response): Promise<void> {
  const found = await docs.find(path)
  if (found) return send(found, response)
  const notFound = response.req.accepts(['json', 'html']) === 'html' ? await docs.find('not-found') : undefined
  if (!notFound) throw new ApiError('not_found')
  response.status(404)
  await send(notFound, response)
}

function send(file: ServedDocsFile, response: Response): Promise<void> {
  return sendServedFile(file, response, headersOf[file.kind])
}
