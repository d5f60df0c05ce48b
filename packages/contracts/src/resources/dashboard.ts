import { z } from 'zod'
import { callerSets } from '../declarations/callers.ts'
import { operation } from '../declarations/operation.ts'

const base = {
  service: 'gateway',
  method: 'GET',
  tenant: false,
  tag: { name: 'Dashboard', description: 'The web application for merchants and operators.' },
  audit: 'api',
  callers: callerSets.anyone,
  response: 'page',
} as const

const ofPage = {
  ...base,
  // Filters, which only the page reads.
  query: z.looseObject({}),
}

/** The dashboard: one page, which shows the screen of its address, and the files that it loads. */
export const dashboardOperations = {
  home: operation({ ...ofPage, id: 'showDashboard', summary: 'Show the dashboard', path: '/dashboard' }),
  withSlash: operation({ ...ofPage, id: 'showDashboardHome', summary: 'Show the dashboard', path: '/dashboard/' }),
  screen: operation({
    ...ofPage,
    id: 'showDashboardScreen',
    summary: 'Show a screen of the dashboard',
    path: '/dashboard/*screen',
  }),
  preview: operation({
    ...base,
    id: 'showLinkPreview',
    summary: 'Show the preview of a payment link',
    path: '/dashboard/preview',
  }),
  asset: operation({
    ...base,
    id: 'getDashboardFile',
    summary: 'Get a file of the dashboard',
    path: '/dashboard/assets/:file',
    params: z.object({ file: z.string().regex(/^\w[\w.-]{0,99}$/) }),
  }),
}
