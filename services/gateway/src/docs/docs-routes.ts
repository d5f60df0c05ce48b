import { docsOperations } from '@cobro/contracts'
import { page, type Route } from '@cobro/http'
import type { DocsFiles } from './docs-files.ts'

/** Swagger UI sets inline styles and uses data URLs for images. Only our own scripts run. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const cacheHeaders = { 'Cache-Control': 'public, max-age=300' }

export function docsRoutes({ docs }: { docs: DocsFiles }): Route[] {
  return [
    page(docsOperations.openApi, async (_call, response) => {
      response
        .set(cacheHeaders)
        .type('json')
        .send(await docs.description())
    }),
    page(docsOperations.docs, async (_call, response) => {
      response
        .set({ ...cacheHeaders, 'Content-Security-Policy': policy })
        .type('html')
        .send(docs.page)
    }),
    page(docsOperations.file, async ({ params }, response) => {
      const { type, bytes } = docs.files[params.file]
      response.set(cacheHeaders).type(type).send(bytes)
    }),
  ]
}
