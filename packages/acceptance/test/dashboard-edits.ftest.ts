import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { verifyWebhook } from '@cobro/sdk/webhooks'
import type { Browser, Page } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { apiClient, clientsOf } from '../src/api-client.ts'
import { type BrowserWork, cardPayment, inDashboard, logIn, rowOf as row } from '../src/dashboard-browser.ts'
import { sharedStack } from '../src/shared-stack.ts'
import { type ReceivedWebhook, startReceiver } from '../src/webhook-receiver.ts'

let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  ;({ stack } = await sharedStack())
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const inBrowser = (work: BrowserWork) => inDashboard({ browser, stack }, work)
const openAs = async (open: Parameters<BrowserWork>[0], path: string) => {
  const page = await open(`/${stack.merchant_id}${path}`)
  await logIn(page, stack.client)
  return page
}

const stored = async (path: string) => {
  const { body } = await clients.merchant.call('GET', path)
  return body.data ?? body
}

/** Opens the form, and fills it in. */
async function edit(page: Page, values: Record<string, string>): Promise<void> {
  await page.getByRole('button', { name: 'Edit' }).click()
  for (const [label, value] of Object.entries(values)) await page.getByRole('dialog').getByLabel(label).fill(value)
}
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a pending session is corrected, and cancelled', async () => {
  const { body } = await clients.merchant.call('POST', '/checkout/v1/sessions', {
    ...{ amount_total: 25_000, external_id: 'edit-1', success_url: 'https://shop.test/ok' },
    ...{ customer: { first_name: 'Ana', email: 'ana@example.com' }, metadata: { mesa: 4 } },
  })
  const acting = { 'x-merchant-id': stack.merchant_id }
  await inBrowser(async open => {
    const page = await openAs(open, `/sessions/${body.id}`)
    await edit(page, { 'First name': 'Anna', 'E-mail': '', 'Metadata (JSON)': '{mesa' })
    expect(await wcagFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Enter a JSON object').waitFor()
    await page.getByLabel('Metadata (JSON)').fill('{"mesa": 5}')
    // What others change meanwhile stays.
    await clients.operator.call('PUT', `/api/checkout-sessions/${body.id}`, { external_id: 'edit-1b' }, acting)
    await page.getByText('edit-1b').waitFor()
    await save(page)
    expect(await stored(`/checkout/v1/sessions/${body.id}`)).toMatchObject({
      ...{ external_id: 'edit-1b', metadata: { mesa: 5 } },
      customer: { first_name: 'Anna', email: null },
    })
    await page.getByRole('button', { name: 'Cancel the session' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the session' }).click()
    await page.getByText('It was cancelled and can no longer be paid.').waitFor()
    expect((await stored(`/checkout/v1/sessions/${body.id}`)).status).toBe('cancelled')
    await page.getByText('Session cancelled').waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  })
})

test('an active link is corrected, and cancelled', async () => {
  const answer = await clients.merchant.call('POST', '/checkout/v1/links', { amount: '250.00', concepto: 'Pastl' })
  const { id } = answer.body.data
  await inBrowser(async open => {
    const page = await openAs(open, `/links/${id}`)
    await edit(page, { Concept: 'Pastel', Reference: 'A-7' })
    await save(page)
    await page.getByText('Pastel', { exact: true }).waitFor()
    expect(await stored(`/checkout/v1/links/${id}`)).toMatchObject({ concepto: 'Pastel', reference: 'A-7' })
    await page.getByRole('button', { name: 'Cancel the link' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the link' }).click()
    await page.getByText('It was cancelled and can no longer be paid.').waitFor()
    await page.getByRole('button', { name: 'Create another like it' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('heading', { name: '$250.00 MXN' }).waitFor()
    await page.getByText('It can be paid.').waitFor()
    await page.getByText('Pastel', { exact: true }).waitFor()
  })
})

test('what a merchant noted on a payment is corrected, and what the API refuses is said', async () => {
  const { id } = await cardPayment(stack, clients.merchant, 'edit-3', '4242424242424242')
  await inBrowser(async open => {
    const page = await openAs(open, `/payments/${id}`)
    await edit(page, { Reference: 'F-9', 'E-mail': 'not an address' })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('alert').filter({ hasText: 'It was not saved.' }).waitFor()
    await page.getByRole('dialog').getByLabel('E-mail').fill('eva@example.com')
    await save(page)
    const payment = await stored(`/api/transactions/${id}`)
    expect(payment).toMatchObject({ reference: 'F-9', payer_email: 'eva@example.com', order_id: 'edit-3' })
  })
})

/** Runs the lines with which the dashboard shows how a server verifies a delivery, and returns the event. */
function verifiedBy(lines: string, { rawBody, headers }: ReceivedWebhook, secret: string): Promise<unknown> {
  const AsyncFunction = (async () => undefined).constructor as new (...texts: string[]) => (...values: unknown[]) => any
  const [first, ...others] = lines.split('\n')
  expect(first).toBe("import { verifyWebhook } from '@cobro/sdk/webhooks'")
  const run = new AsyncFunction(
    'verifyWebhook',
    'rawBody',
    'request',
    'process',
    [...others, 'return event'].join('\n'),
  )
  return run(verifyWebhook, rawBody, { headers }, { env: { COBRO_WEBHOOK_SECRET: secret } })
}

test('the secret of a webhook is rotated, a delivery is verified with the new one, and the webhook is deleted', async () => {
  const receiver = await startReceiver()
  const endpoint = { url: receiver.url, events: ['payment.approved'] }
  const { body } = await clients.merchant.call('POST', '/api/webhooks', endpoint)
  await inBrowser(async open => {
    const page = await openAs(open, '/webhooks')
    const dialog = page.getByRole('dialog')
    const ofEndpoint = (name: string) => row(page, receiver.url).getByRole('button', { name })
    await ofEndpoint('Rotate secret').click()
    await dialog.getByText('For a day').waitFor()
    await dialog.getByRole('button', { name: 'Rotate secret' }).click()
    await dialog.getByText('Store it now').waitFor()
    const secret = (await dialog.locator('code').first().textContent()) ?? ''
    const lines = (await dialog.locator('pre').textContent()) ?? ''
    expect(secret).not.toBe(body.secret)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await ofEndpoint('Send test').click()
    await page.getByText('Your server received it.').waitFor()
    const [received] = receiver.received as [ReceivedWebhook]
    const signed = { event: 'webhook.test', merchant_id: stack.merchant_id }
    for (const one of [secret, body.secret]) expect(await verifiedBy(lines, received, one)).toMatchObject(signed)

    await page.goBack()
    await ofEndpoint('Edit webhook').click()
    await dialog.getByLabel('payment.approved').uncheck()
    await dialog.getByLabel('payment.declined').check()
    await page.getByRole('button', { name: 'Save webhook' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored(`/api/webhooks/${body.id}`)).toMatchObject({ events: ['payment.declined'] })
    await ofEndpoint('Delete').click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row(page, receiver.url).waitFor({ state: 'detached' })
    expect((await stored(`/api/webhooks/${body.id}`)).error).toBe('not_found')
  })
  await receiver.stop()
})

test('a key is made for one scope and one address', async () => {
  await inBrowser(async open => {
    const page = await openAs(open, '/keys')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog.getByLabel('Name').fill('narrow key')
    await dialog.getByLabel('Access').selectOption('Only some scopes')
    await dialog.getByRole('group', { name: 'Payments and refunds' }).getByLabel('Read').check()
    await dialog.getByLabel('IP addresses').fill('127.0.0.1')
    expect(await wcagFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Store it now').waitFor()
    const key = apiClient(stack.base_url, { authorization: `Token ${await dialog.locator('code').textContent()}` })
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect((await key.call('GET', '/api/transactions')).status).toBe(200)
    expect((await key.call('GET', '/api/webhooks')).status).toBe(403)
    await row(page, 'narrow key').getByRole('button', { name: '1 scope · 1 address' }).click()
    await dialog.getByText('Payments and refunds').waitFor()
    await dialog.getByText('127.0.0.1/32').waitFor()
    expect(await wcagFaults(page)).toEqual([])
  })
})
