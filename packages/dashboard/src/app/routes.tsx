import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router'
import { parseSearch, type Search, stringifySearch } from '../address/search.ts'
import { Broken, NotFound } from '../parts/states.tsx'
import { GoScreen } from './go-screen.tsx'
import { screen } from './lazy-screen.tsx'
import { ScopeGate } from './scope-gate.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: ScopeGate, notFoundComponent: NotFound })
const home = createRoute({ getParentRoute: () => root, path: '/', component: () => null })
const goTo = createRoute({ getParentRoute: () => root, path: 'go/$id', component: () => null })
const scope = createRoute({
  getParentRoute: () => root,
  path: '$scope',
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: NotFound,
  errorComponent: Broken,
  // The frame stays: it forgets what was read in the scope before.
  remountDeps: () => undefined,
})
const scopeHome = createRoute({
  getParentRoute: () => scope,
  path: '/',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/home/home-screen.tsx')).HomeScreen),
})
const payments = createRoute({
  getParentRoute: () => scope,
  path: 'payments',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/payments/payments-screen.tsx')).PaymentsScreen),
})
const payment = createRoute({
  getParentRoute: () => scope,
  path: 'payments/$id',
  component: screen(async () => (await import('../screens/payment/payment-screen.tsx')).PaymentScreen),
})
const links = createRoute({
  getParentRoute: () => scope,
  path: 'links',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/links/links-screen.tsx')).LinksScreen),
})
const link = createRoute({
  getParentRoute: () => scope,
  path: 'links/$id',
  component: screen(async () => (await import('../screens/link/link-screen.tsx')).LinkScreen),
})
const keys = createRoute({
  getParentRoute: () => scope,
  path: 'keys',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/keys/keys-screen.tsx')).KeysScreen),
})
const sessions = createRoute({
  getParentRoute: () => scope,
  path: 'sessions',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/sessions/sessions-screen.tsx')).SessionsScreen),
})
const session = createRoute({
  getParentRoute: () => scope,
  path: 'sessions/$id',
  component: screen(async () => (await import('../screens/session/session-screen.tsx')).SessionScreen),
})
const refunds = createRoute({
  getParentRoute: () => scope,
  path: 'refunds',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/refunds/refunds-screen.tsx')).RefundsScreen),
})
const webhooks = createRoute({
  getParentRoute: () => scope,
  path: 'webhooks',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/webhooks/webhooks-screen.tsx')).WebhooksScreen),
})
const deliveries = createRoute({
  getParentRoute: () => scope,
  path: 'deliveries',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/deliveries/deliveries-screen.tsx')).DeliveriesScreen),
})
const delivery = createRoute({
  getParentRoute: () => scope,
  path: 'deliveries/$id',
  component: screen(async () => (await import('../screens/delivery/delivery-screen.tsx')).DeliveryScreen),
})
const requests = createRoute({
  getParentRoute: () => scope,
  path: 'requests',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/requests/requests-screen.tsx')).RequestsScreen),
})
const request = createRoute({
  getParentRoute: () => scope,
  path: 'requests/$id',
  component: screen(async () => (await import('../screens/request/request-screen.tsx')).RequestScreen),
})
const branches = createRoute({
  getParentRoute: () => scope,
  path: 'branches',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/branches/branches-screen.tsx')).BranchesScreen),
})
const branch = createRoute({
  getParentRoute: () => scope,
  path: 'branches/$id',
  component: screen(async () => (await import('../screens/branches/branch-screen.tsx')).BranchScreen),
})
const terminals = createRoute({
  getParentRoute: () => scope,
  path: 'terminals',
  validateSearch: (search): Search => search as Search,
  component: screen(async () => (await import('../screens/branches/terminals-screen.tsx')).TerminalsScreen),
})
const sandbox = createRoute({
  getParentRoute: () => scope,
  path: 'sandbox',
  component: screen(async () => (await import('../screens/sandbox/sandbox-screen.tsx')).SandboxScreen),
})
const account = createRoute({
  getParentRoute: () => scope,
  path: 'account',
  component: screen(async () => (await import('../screens/account/account-screen.tsx')).AccountScreen),
})

const goToInScope = createRoute({ getParentRoute: () => scope, path: 'go/$id', component: GoScreen })

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    goTo,
    scope.addChildren([
      scopeHome,
      payments,
      payment,
      links,
      link,
      sessions,
      session,
      refunds,
      webhooks,
      deliveries,
      delivery,
      keys,
      requests,
      request,
      branches,
      branch,
      terminals,
      sandbox,
      account,
      goToInScope,
    ]),
  ]),
  basepath: '/dashboard',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  // Or an open dialog would stay when only the id or the scope of the address changes, and do its work to another object.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
