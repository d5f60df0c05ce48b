import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { docsOperations, ParamsOf } from '@cobro/contracts'

/**
 * The API description and the five fixed files below `/docs`, by file name. A declared operation
 * serves them with its rate limit and audit record, so a static file server would be an extra layer.
 */
export interface DocsFiles {
  /** Returns the API description, which the first call generates. */
  description: () => Promise<Buffer>
  page: Buffer
  files: Readonly<Record<ParamsOf<typeof docsOperations.file>['file'], { type: string; bytes: Buffer }>>
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Cobro API</title>
    <link rel="icon" href="/docs/favicon.png">
    <link rel="stylesheet" href="/docs/viewer.css">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/viewer.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/**
 * Fixes narrow screens, where Swagger UI squeezes a tag's description beside its name.
 * It can go when Swagger UI supports screens of 360 px (swagger-api/swagger-ui#8940).
 */
const style = `body { margin: 0; }
@media (max-width: 40rem) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; order: 1; padding: 0; }
}
`

/** Without `validatorUrl: null`, Swagger UI would send the URL to validator.swagger.io. */
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
})
`

/**
 * Reads Swagger UI's files. The API description, with this deployment's URL, takes a third of a second
 * to generate, so a start does not wait for it.
 */
export async function openDocs(publicUrl: string): Promise<DocsFiles> {
  const { resolve } = createRequire(import.meta.url)
  const script = 'text/javascript; charset=utf-8'
  const [js, css, icon] = await Promise.all(
    ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'].map(name =>
      readFile(resolve(`swagger-ui-dist/${name}`)),
    ),
  )
  let description: Promise<Buffer> | undefined
  return {
    description: () => (description ??= generateDescription(publicUrl)),
    page: Buffer.from(page),
    files: {
      'viewer.js': { type: script, bytes: js as Buffer },
      'viewer.css': { type: 'text/css; charset=utf-8', bytes: css as Buffer },
      'page.css': { type: 'text/css; charset=utf-8', bytes: Buffer.from(style) },
      'favicon.png': { type: 'image/png', bytes: icon as Buffer },
      'start.js': { type: script, bytes: Buffer.from(start) },
    },
  }
}

async function generateDescription(serverUrl: string): Promise<Buffer> {
  const { apiDescription } = await import('@cobro/http/openapi')
  return Buffer.from(JSON.stringify(apiDescription({ serverUrl })))
}
