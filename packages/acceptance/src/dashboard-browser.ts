import { payByCard } from '@cobro/local-stack'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { AcceptanceStack } from './acceptance-stack.ts'
import type { ApiClient } from './api-client.ts'

type Stack = AcceptanceStack['stack']

/** Pays a session of a key's merchant by card and returns the transaction. */
export async function cardPayment(stack: Stack, key: ApiClient, external_id: string, card: string) {
  const { body } = await key.call('POST', '/checkout/v1/sessions', {
    amount_total: 25_000,
    external_id,
    success_url: 'https://shop.test/ok',
  })
  await payByCard(stack.hosted_url, body.id, card)
  // By the key: some tests end the logins of the user.
  const listed = await key.call('GET', `/api/transactions?order_id=${external_id}`)
  return listed.body.data[0] as { id: string; correlation_id: string }
}

/** Opens the dashboard at a path, in a page of its own. */
type Open = (path?: string) => Promise<Page>

/** What a test does with a browser. */
export type BrowserWork = (open: Open, context: BrowserContext) => Promise<void>

/** A browser of its own. Fails the test at its end for any message in the console and any call of another host. */
export async function inDashboard(
  { stack, browser }: { stack: Stack; browser: Browser },
  work: BrowserWork,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
  context.setDefaultTimeout(60_000)
  const complaints = complaintsOf(context, stack.base_url)
  const open = async (path = '') => {
    const page = await context.newPage()
    await page.goto(`${stack.base_url}/dashboard${path}`)
    return page
  }
  try {
    await work(open, context)
    if (complaints.length > 0) throw new Error(complaints.join('\n'))
  } finally {
    await context.close()
  }
}

/** What the browser itself writes to the console: what a logout makes it delete, and calls that the API refuses or that did not reach it. */
const ofBrowser =
  /^(?:Clear-Site-Data header|Failed to load resource: (?:the server responded with a status of 4\d\d|net::))/

/** Collects the messages in the console, the violations of the policy, and the calls of other hosts. */
function complaintsOf(context: BrowserContext, origin: string): string[] {
  const complaints: string[] = []
  context.on('console', message => {
    // A message of the page has the address of a script.
    const isOfBrowser = ofBrowser.test(message.text()) && !message.location().url.includes('/assets/')
    if (!isOfBrowser) complaints.push(`${message.type()}: ${message.text()}`)
  })
  context.on('weberror', error => complaints.push(String(error.error())))
  context.on('request', request => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`called ${request.url()}`)
  })
  return complaints
}

/** Logs a user in. */
export async function logIn(page: Page, who: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(who.email)
  await page.getByLabel('Password').fill(who.password)
  await page.keyboard.press('Enter')
}

/** Returns the row of a list that has a text. */
export const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
