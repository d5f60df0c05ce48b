import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router'
import { parseSearch, type Search, stringifySearch } from '../address/search.ts'
import { Broken, NotFound } from '../parts/states.tsx'
import { screen } from './lazy-screen.ts'
import { LoginGate } from './login-gate.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: LoginGate, notFoundComponent: NotFound })
const home = createRoute({ getParentRoute: () => root, path: '/', component: () => null })
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
})
const scopeHome = createRoute({
  getParentRoute: () => scope,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$scope/payments', params, replace: true })
  },
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
const account = createRoute({
  getParentRoute: () => scope,
  path: 'account',
  component: screen(async () => (await import('../screens/account/account-screen.tsx')).AccountScreen),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    scope.addChildren([
      scopeHome,
      payments,
      payment,
      links,
      link,
      sessions,
      session,
      webhooks,
      deliveries,
      delivery,
      keys,
      account,
    ]),
  ]),
  basepath: '/dashboard',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
