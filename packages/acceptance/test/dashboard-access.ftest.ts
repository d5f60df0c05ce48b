import { accessesOf, merchantAccesses, newId, operations, operatorAccesses } from '@cobro/contracts'
import { type Screen, type Section, screens } from '@cobro/dashboard/test/screen-list'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { payByCard } from '@cobro/local-stack'
import { waitFor } from '@cobro/testing'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { type ApiClient, clientsOf } from '../src/api-client.ts'
import { inDashboard, logIn } from '../src/dashboard-browser.ts'

/** A word that stands in everything that the other merchant has. */
const theirs = 'quetzalcoatl'
/** What stands on the screen of the request of theirs, which has nothing of what they sent. */
const ofRequest = 'createCheckoutSession'
const noAccess = 'Your user has no access to this.'
const password = 'a password for every access'
const approvedCard = '4242424242424242'

let world: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
/** The addresses of the other merchant's objects, below a scope. */
let objects: string[]
beforeAll(async () => {
  world = await acceptanceStack()
  clients = await clientsOf(world.stack)
  objects = await fillWithTheirs(clients.stranger)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

/** The screens of the dashboard, and that of the account, which every user has. */
const paths = [...screens.map(({ path }) => path), 'account']

/** Gives a merchant something of every kind, and returns where it is in the dashboard. */
async function fillWithTheirs(merchant: ApiClient): Promise<string[]> {
  const create = async (path: string, body: object, { by = merchant, headers = {} } = {}) => {
    const answer = await by.call('POST', path, body, headers)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.body.error}`)
    return answer.body.data ?? answer.body
  }
  await create('/api/webhooks', { url: `https://${theirs}.test/hooks`, events: ['*'], description: theirs })
  const acting = { by: clients.operator, headers: { 'x-merchant-id': world.stack.second.merchant_id } }
  await create('/api/api-keys', { name: theirs }, acting)
  const link = await create('/checkout/v1/links', { amount: '10.00', concepto: theirs })
  const sucursal = await create('/api/sucursales', { name: theirs })
  await create('/api/terminales', { name: theirs, serial: theirs, sucursal_id: sucursal.id })
  const order = { amount_total: 25_000, external_id: theirs, success_url: `https://${theirs}.test/ok` }
  const { body: session, headers } = await merchant.call('POST', '/checkout/v1/sessions', order)
  await payByCard(world.stack.hosted_url, session.id, approvedCard)
  const first = (path: string) => waitFor(async () => (await merchant.call('GET', path)).body.data[0]?.id)
  const payment = await first(`/api/transactions?order_id=${theirs}`)
  const delivery = await first('/api/webhook-deliveries')
  return [
    ...[`payments/${payment}`, `sessions/${session.id}`, `links/${link.id}`, `branches/${sucursal.id}`],
    ...[`deliveries/${delivery}`, `requests/${headers.get('x-request-id')}`],
  ]
}

async function userWith(fields: object): Promise<{ email: string; password: string }> {
  const account = { email: `${newId('usr').toLowerCase()}@access.test`, password }
  const made = await clients.operator.call('POST', '/api/users', { ...account, ...fields })
  if (made.status !== 201) throw new Error(`The user could not be made: ${made.body.error}`)
  return account
}

/** Goes to an address as a link would, and returns what the page shows once it has settled. */
async function shownAt(page: Page, path: string): Promise<string> {
  const pending = new Set<unknown>()
  // The call that waits for events ends by itself, later.
  const begins = (request: Request) => request.url().includes('/api/webhook-events') || pending.add(request)
  const ends = (request: unknown) => pending.delete(request)
  page.on('request', begins).on('requestfinished', ends).on('requestfailed', ends)
  await page.evaluate(to => history.pushState(null, '', to), `/dashboard/${path}`)
  const content = page.locator('h1, [role=alert], strong').first()
  await content.waitFor()
  do await page.waitForTimeout(100)
  while (pending.size > 0)
  page.off('request', begins).off('requestfinished', ends).off('requestfailed', ends)
  return page.content()
}

/** Collects each answer that a page gets with something of the other merchant. Calls that wait for events end later. */
function leaksInto(context: BrowserContext) {
  const found: string[] = []
  const reads: Promise<void>[] = []
  context.on('response', answer => {
    if (!answer.url().includes('/api/') || answer.url().includes('wait=')) return
    const read = answer.text().then(
      text => void (text.includes(theirs) && found.push(answer.url())),
      () => undefined,
    )
    reads.push(read)
  })
  return async () => {
    await Promise.all(reads)
    return found
  }
}

/** What a page has stored, and the names of what else the browser keeps for it. */
async function stored(page: Page) {
  return page.evaluate(async () => ({
    texts: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
  }))
}

const sectionNames: Record<Section, string> = {
  ...{ home: 'Home', payments: 'Payments', links: 'Payment links', sessions: 'Sessions', refunds: 'Refunds' },
  ...{ webhooks: 'Webhooks', keys: 'API keys', requests: 'Requests', branches: 'Branches', tests: 'Sandbox' },
}

/** Whether the contracts allow an access one of the operations that a screen shows. */
const allows = (role: Role, access: string, { needs }: Screen) =>
  operations.some(operation => needs.includes(operation.id) && accessesOf(operation)[role].includes(access))

type Role = 'client' | 'operator'
const accesses: [Role, string][] = [
  ...merchantAccesses.map((access): [Role, string] => ['client', access]),
  ...operatorAccesses.map((access): [Role, string] => ['operator', access]),
]

test.each(accesses)('a user (%s, %s) sees its screens, and nothing of another merchant', async (role, access) => {
  const { merchant_id: mine, second } = world.stack
  const of = role === 'client' ? { merchant_id: mine } : { merchants: [mine] }
  const account = await userWith({ role, access, ...of })
  await inDashboard({ stack: world.stack, browser }, async (open, context) => {
    const leaks = leaksInto(context)
    const page = await open(`/${mine}/account`)
    await logIn(page, account)
    const menu = page.getByRole('navigation', { name: 'Sections' }).getByRole('link')
    // All of it comes once the page knows what the user may do, which may be after the heading.
    await menu.first().waitFor()
    const sections = screens.flatMap(one => (one.section && allows(role, access, one) ? sectionNames[one.section] : []))
    expect((await menu.allTextContents()).toSorted()).toEqual([...sections, 'Account'].toSorted())
    for (const screen of screens) {
      const shown = await shownAt(page, `${mine}/${screen.path}`)
      expect([screen.path, shown.includes(noAccess)]).toEqual([screen.path, !allows(role, access, screen)])
    }
    const others = [
      ...objects.map(path => `${mine}/${path}`),
      ...[...paths, ...objects].map(path => `${second.merchant_id}/${path}`),
    ]
    for (const path of others) {
      const shown = await shownAt(page, path)
      expect([path, shown.includes(theirs), shown.includes(ofRequest)]).toEqual([path, false, false])
    }
    expect(await leaks()).toEqual([])
    const { texts, databases, caches } = await stored(page)
    expect([texts.includes(theirs), databases, caches]).toEqual([false, [], []])
  })
})

test('an operator of all merchants sees it', async () => {
  await inDashboard({ stack: world.stack, browser }, async (open, context) => {
    const leaks = leaksInto(context)
    const page = await open('/all/payments')
    await logIn(page, world.stack.operator)
    await page.getByText(theirs).first().waitFor()
    for (const path of ['payments', 'sessions', 'links', 'webhooks', 'keys', 'branches', ...objects]) {
      await shownAt(page, `${world.stack.second.merchant_id}/${path}`)
      const mark = path.startsWith('requests/') ? ofRequest : theirs
      await page.waitForFunction(text => document.documentElement.outerHTML.includes(text), mark)
    }
    expect((await leaks()).length).toBeGreaterThan(0)
  })
})
