import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { waitFor } from '@cobro/testing'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient, clientsOf } from '../src/api-client.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  stack = await sharedStack()
  clients = await clientsOf(stack.stack)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

let users = 0
/** A user without a password gets a mail to choose one. */
const newUser = async (credential: { password?: string } = {}) => {
  const email = `reader-${++users}@mails.test`
  const facts = { email, role: 'client', merchant_id: stack.stack.merchant_id, ...credential }
  expect((await clients.operator.call('POST', '/api/users', facts)).status).toBe(201)
  return email
}

/** Waits for a mail in the folder of the sandbox, and returns the link in it. */
async function linkIn(kind: string, recipient: string): Promise<string> {
  const folder = join(stack.dir, 'mail')
  const { file } = await waitFor(async () => {
    const lines = await readFile(join(folder, 'mails.ndjson'), 'utf8').catch(() => '')
    const listed = lines
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
    return listed.find(mail => mail.kind === kind && mail.recipient === recipient)
  })
  const text = (await readFile(join(folder, file), 'utf8')).replaceAll('=\n', '').replaceAll('=3D', '=')
  const [link] = /http:\/\/\S+\/account\/password#token=[\w-]+/.exec(text) ?? []
  if (!link) throw new Error(`${file} has no link.`)
  return link
}

async function open(link: string, locale = 'es-MX') {
  const page = await browser.newPage({ locale, viewport: { width: 390, height: 844 } })
  page.setDefaultTimeout(120_000)
  const complaints: string[] = []
  const urls: string[] = []
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('request', request => urls.push(request.url()))
  await page.goto(link)
  return { page, complaints, urls }
}

const shows = (page: Page, state: string) => page.locator(`[data-state=${state}]`).waitFor()
const save = async (page: Page, password: string) => {
  await page.locator('#password').fill(password)
  await page.locator('button').click()
}
const login = (email: string, password: string) =>
  apiClient(stack.stack.base_url).call('POST', '/api/auth/login', { email, password })

test('a new user chooses a password on the page that the mail leads to, and logs in', async () => {
  const email = await newUser()
  const link = await linkIn('setup', email)
  const { page, complaints, urls } = await open(link)
  await shows(page, 'form')
  expect(await page.locator('html').getAttribute('lang')).toBe('es')
  // The token is neither sent to a server nor kept in the address.
  expect([page.url(), urls.some(url => url.includes('vst_'))]).toEqual([link.replace(/#.*/, ''), false])

  await save(page, 'corta')
  await page.locator('[data-problem=short]').waitFor()
  await save(page, 'qwerty123456')
  await page.locator('[data-problem=weak]').waitFor()
  await save(page, 'café con leche y canela')
  await shows(page, 'done')
  expect((await login(email, 'café con leche y canela')).status).toBe(200)
  // Chromium logs the 400 as a failed load. Nothing else may be logged, least of all a violation of the content security policy.
  expect(complaints.filter(text => !text.includes('400'))).toEqual([])
  await page.close()

  const again = await open(link)
  await save(again.page, 'otra frase que es larga')
  await shows(again.page, 'lapsed')
  await again.page.close()
})

test('a user who has forgotten the password resets it, on a page in its language', async () => {
  const email = await newUser({ password: 'una frase que se olvida' })
  const answer = await apiClient(stack.stack.base_url).call('POST', '/api/auth/password/reset', { email })
  expect([answer.status, answer.body]).toEqual([202, { data: { accepted: true } }])
  const { page } = await open(await linkIn('password_reset', email), 'en-US')
  expect(await page.locator('h1').textContent()).toBe('Choose your password')
  await save(page, 'a phrase of my own, long')
  await shows(page, 'done')
  expect((await login(email, 'a phrase of my own, long')).status).toBe(200)
  await page.close()
})

test('the page says that a link without a token is incomplete', async () => {
  const { page } = await open(`${stack.stack.base_url}/account/password`)
  await shows(page, 'incomplete')
  expect(await page.locator('form').isVisible()).toBe(false)
  await page.close()
})
