import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'

const base = {
  service: 'gateway',
  method: 'GET',
  tenant: false,
  tag: { name: 'API reference', description: 'This description.' },
  audit: 'api',
  callers: callerSets.anyone,
  response: 'page',
} as const

/** The description of the API, for programs and for people. */
export const docsOperations = {
  openApi: operation({
    ...base,
    id: 'getOpenApi',
    summary: 'Get the API description as OpenAPI 3.1',
    path: '/openapi.json',
  }),
  docs: operation({ ...base, id: 'showDocs', summary: 'Show the API reference', path: '/docs' }),
  file: operation({
    ...base,
    id: 'getDocsFile',
    summary: 'Get a file of the API reference',
    path: '/docs/:file',
    params: z.object({ file: z.enum(['viewer.js', 'viewer.css', 'page.css', 'start.js', 'favicon.png']) }),
  }),
}
