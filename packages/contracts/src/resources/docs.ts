import { z } from 'zod'
import { operation } from '../operation.ts'

const open = { service: 'gateway', method: 'GET', tenant: false, response: 'page' } as const

/** The description of the API, for programs and for people. */
export const docsOperations = {
  openApi: operation({
    ...open,
    id: 'getOpenApi',
    summary: 'The API description, as OpenAPI 3.1',
    path: '/openapi.json',
  }),
  docs: operation({ ...open, id: 'showDocs', summary: 'The API description, to read and try', path: '/docs' }),
  file: operation({
    ...open,
    id: 'getDocsFile',
    summary: 'A file of the readable description',
    path: '/docs/:file',
    params: z.object({ file: z.enum(['viewer.js', 'viewer.css', 'page.css', 'start.js', 'favicon.png']) }),
  }),
}
