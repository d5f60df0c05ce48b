import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'

const base = {
  service: 'gateway',
  method: 'GET',
  tenant: false,
  tag: { name: 'Documentation', description: 'This documentation.' },
  audit: 'api',
  callers: callerSets.anyone,
  response: 'page',
} as const

/** A part of an address below `/docs`. */
const part = z.string().regex(/^\w[\w.-]{0,99}$/)

/** The documentation of the API, and its description for programs. */
export const docsOperations = {
  openApi: operation({
    ...base,
    id: 'getOpenApi',
    summary: 'Get the API description as OpenAPI 3.1',
    path: '/openapi.json',
  }),
  docs: operation({ ...base, id: 'showDocs', summary: 'Show the documentation', path: '/docs' }),
  withSlash: operation({ ...base, id: 'redirectToDocs', summary: 'Lead to the documentation', path: '/docs/' }),
  page: operation({
    ...base,
    id: 'showDocsPage',
    summary: 'Show a page of the documentation',
    path: '/docs/:page',
    params: z.object({ page: part }),
  }),
  file: operation({
    ...base,
    id: 'getDocsFile',
    summary: 'Get a page or file of a chapter of the documentation',
    path: '/docs/:chapter/:file',
    params: z.object({ chapter: part, file: part }),
  }),
}
