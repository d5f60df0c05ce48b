import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import { wcagFaults } from '@cobro/hosted-page/test/wcag-faults'
import { waitFor } from '@cobro/testing'
import type { Browser, Page } from 'playwright-core'
import { type AcceptanceStack, acceptanceStack } from '../src/acceptance-stack.ts'
import { clientsOf } from '../src/api-client.ts'
import { cardPayment, inDashboard, logIn, rowOf as row } from '../src/dashboard-browser.ts'
import { browsers, type Hand, missedBounds, type Person, personAt, tasks } from '../src/dashboard-tasks.ts'
import { startReceiver } from '../src/webhook-receiver.ts'

const [approvedCard, poorCard] = ['4242424242424242', '4000000000009995']

let world: AcceptanceStack
let stack: AcceptanceStack['stack']
let clients: Awaited<ReturnType<typeof clientsOf>>
let browser: Browser
beforeAll(async () => {
  world = await acceptanceStack()
  ;({ stack } = world)
  clients = await clientsOf(stack)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.stop()
})

interface Screens {
  /** Where the task begins. */
  start: string
  /** What the browser has shown before. */
  known?: string[]
}

type Steps = (person: Person, page: Page) => Promise<void>

/** Lets someone who is logged in do a task, in each of some ways, in a browser that has what its screens need. */
async function perform(task: keyof typeof tasks, hand: Hand, { start, known = [] }: Screens, ...ways: Steps[]) {
  await inDashboard(
    { stack, browser },
    async (open, context) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const page = await open(`/${stack.merchant_id}${start}`)
      await logIn(page, stack.client)
      await page.locator('#content h1').waitFor()
      for (const path of known) await show(page, path)
      for (const steps of ways) {
        await show(page, start)
        const person = personAt(page, hand)
        expect(await missedBounds(tasks[task], person, () => steps(person, page))).toEqual([])
        if (hand === 'phone') expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      }
    },
    browsers[hand],
  )
}

async function show(page: Page, path: string): Promise<void> {
  await page.goto(`${stack.base_url}/dashboard/${stack.merchant_id}${path}`)
  await page.locator('#content h1').waitFor()
  // Nothing more loads, other than the call that waits for events.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true })
/** Where a task begins that belongs to a section: at home, but on a phone, where sections may be in a menu, in the section. */
const startOf = (hand: Hand, path: string) => (hand === 'phone' ? path : '')
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

/** Enters a payment that was taken elsewhere. */
async function entered(fields: object): Promise<string> {
  const card = { brand: 'visa', last4: '4242' }
  const taken = { amount_cents: 25_000, rail: 'online_cnp', payment_method: 'card', card, ...fields }
  const merchant = { 'x-merchant-id': stack.merchant_id }
  const { status, body } = await clients.operator.call('POST', '/api/transactions', taken, merchant)
  expect([status, body.error]).toEqual([201, undefined])
  return body.data.id
}

test.each(['pointer', 'phone'] as const)('task 1: finds a payment by what is pasted (%s)', async hand => {
  const fields = {
    reference: `task-1-ref-${hand}`,
    order_id: `task-1-order-${hand}`,
    payer_email: `ana.${hand}@example.com`,
  }
  const [last4, amount_cents] = hand === 'phone' ? ['7731', 73_105] : ['7732', 73_205]
  const amount = `${amount_cents / 100}`
  const id = await entered({ ...fields, amount_cents, card: { brand: 'visa', last4 } })
  const find = (text: string) => async (person: Person, page: Page) => {
    // A phone has no such keys.
    if (hand === 'phone') await person.press(page.getByRole('button', { name: /^(Find|Search)/ }))
    else await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.insertText(text)
    await page.keyboard.press('Enter')
    await page.getByText('The payment was captured.').waitFor()
    expect(page.url()).toContain(id)
  }
  const texts = [id, ...Object.values(fields), last4, `${last4} ${amount}`, `$${amount}`]
  const task = hand === 'phone' ? 'findByTap' : 'find'
  await perform(task, hand, { start: '/keys', known: [`/payments/${id}`] }, ...texts.map(find))
})

test.each(['pointer', 'keyboard', 'phone'] as const)('task 2: sees why a payment was declined (%s)', async hand => {
  const { id } = await cardPayment(stack, clients.merchant, `task-2-${hand}`, poorCard)
  const start = `/payments?search=task-2-${hand}`
  await perform('explain', hand, { start, known: [`/payments/${id}`] }, async (person, page) => {
    await person.press(row(page, `task-2-${hand}`).getByRole('link'))
    await page.getByText('The issuer declined the payment: there are insufficient funds.').waitFor()
    await page.getByText('Payment declined').waitFor()
  })
})

test.each(['pointer', 'keyboard', 'phone'] as const)('task 3: refunds a payment (%s)', async hand => {
  const { id } = await cardPayment(stack, clients.merchant, `task-3-${hand}`, approvedCard)
  await perform('refund', hand, { start: `/payments/${id}` }, async (person, page) => {
    await person.press(button(page, 'Refund'))
    await person.press(button(page, 'Refund $250.00 MXN'))
    await page.getByText('The payment was returned to the payer.').waitFor()
  })
})

test.each(['pointer', 'keyboard', 'phone'] as const)('task 4: makes a link to send (%s)', async hand => {
  const { body } = await clients.merchant.call('POST', '/checkout/v1/links', { amount: '1.00', concepto: 'Before' })
  const known = [`/links/${body.data.id}`, '/links']
  await perform('link', hand, { start: startOf(hand, '/links'), known }, async (person, page) => {
    if (hand !== 'phone') await person.press(section(page, 'Payment links'))
    // On a phone that of the bar below, which is there on every screen.
    await person.press(button(page, 'New link').last())
    await page.getByLabel('Amount (MXN)').waitFor()
    await person.type('1250.50')
    await page.keyboard.press('Tab')
    await person.type('Dinner for two')
    await page.keyboard.press('Enter')
    await page.getByText('It is in your clipboard').waitFor()
    await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
    expect(await clipboard(page)).toBe(await page.locator('code').first().textContent())
  })
})

test.each(['pointer', 'keyboard', 'phone'] as const)(
  'task 5: sees today, and which payments make up a number (%s)',
  async hand => {
    await cardPayment(stack, clients.merchant, `task-5-${hand}`, approvedCard)
    await perform('today', hand, { start: '', known: ['/payments'] }, async (person, page) => {
      const panel = page.getByRole('region', { name: 'Payments' })
      const number = panel.locator('dl > div').filter({ hasText: 'Captured payments' }).getByRole('link').first()
      await number.waitFor()
      await person.press(number)
      await row(page, `task-5-${hand}`).waitFor()
    })
  },
)

test.each(['pointer', 'keyboard'] as const)('task 8: sees why webhooks fail, and resends all (%s)', async hand => {
  const [broken, mended] = [await startReceiver(() => 500), await startReceiver()]
  const endpoint = { url: broken.url, events: ['payment.approved'] }
  const { body } = await clients.merchant.call('POST', '/api/webhooks', endpoint)
  for (const number of [1, 2]) await cardPayment(stack, clients.merchant, `task-8-${hand}-${number}`, approvedCard)
  const failed = `/api/webhook-deliveries?webhook_id=${body.id}&status=exhausted`
  const rows = await waitFor(async () => {
    const { data } = (await clients.merchant.call('GET', failed)).body
    return data.length === 2 && data
  })
  const known = [`/deliveries/${rows[0].id}`, '/deliveries']
  await perform('webhooks', hand, { start: '', known }, async (person, page) => {
    await person.press(page.getByRole('link', { name: /^Webhook deliveries given up in the period/ }))
    await person.press(row(page, broken.url).first().getByRole('link'))
    await page.getByText('noted').first().waitFor()
    await person.press(button(page, 'Edit webhook'))
    await page.getByRole('dialog').getByLabel('Address').waitFor()
    await person.type(mended.url, { over: true })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await person.press(button(page, 'Resend all'))
    await button(page, 'Resend 2').waitFor()
    expect(await wcagFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('Your server received it.').waitFor()
  })
  await waitFor(() => mended.acknowledged().length === 2)
  await clients.merchant.call('DELETE', `/api/webhooks/${body.id}`)
  for (const receiver of [broken, mended]) await receiver.stop()
})

/** Copies the key that is shown once, by the button that has the focus, and closes the dialog. */
async function storeKey(person: Person, page: Page): Promise<void> {
  await page.getByText('Store it now').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Copied').waitFor()
  expect(await clipboard(page)).toBe(await page.getByRole('dialog').locator('code').textContent())
  await person.press(button(page, 'I have stored it'))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test.each(['pointer', 'keyboard', 'phone'] as const)(
  'task 9: creates an API key, rotates and revokes it (%s)',
  async hand => {
    const name = `key-${hand}`
    const ofSection = (steps: Steps) => async (person: Person, page: Page) => {
      if (hand !== 'phone') await person.press(section(page, 'API keys'))
      await steps(person, page)
    }
    const create: Steps = async (person, page) => {
      await person.press(button(page, 'New key'))
      await page.getByRole('dialog').getByLabel('Name').waitFor()
      await person.type(name)
      await page.keyboard.press('Enter')
      await storeKey(person, page)
      await row(page, name).getByText('Active').waitFor()
    }
    const rotate: Steps = async (person, page) => {
      await person.press(row(page, name).getByRole('button', { name: 'Rotate' }))
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).waitFor()
      await page.keyboard.press('Enter')
      await storeKey(person, page)
      await row(page, name).nth(1).waitFor()
    }
    const revoke: Steps = async (person, page) => {
      await person.press(row(page, name).first().getByRole('button', { name: 'Revoke' }))
      await person.press(page.getByRole('dialog').getByRole('button', { name: 'Revoke' }))
      await row(page, name).getByText('Revoked').waitFor()
    }
    await perform(
      'keys',
      hand,
      { start: startOf(hand, '/keys'), known: ['/keys'] },
      ...[create, rotate, revoke].map(ofSection),
    )
  },
)

test.each(['pointer', 'phone'] as const)('a user sets a first password, and logs in with it (%s)', async hand => {
  const email = `first.${hand}@example.com`
  const account = { email, role: 'client', merchant_id: stack.merchant_id }
  const { setup_token } = (await clients.operator.call('POST', '/api/users', account)).body
  await inDashboard(
    { stack, browser },
    async (_, context) => {
      const page = await context.newPage()
      const person = personAt(page, hand)
      const missed = await missedBounds(tasks.firstPassword, person, async () => {
        await page.goto(`${stack.base_url}/account/password#token=${setup_token}`)
        const password = 'a first password of their own'
        await page.getByRole('textbox').fill(password)
        await page.keyboard.press('Enter')
        await page.getByText('Your password was saved.').waitFor()
        await page.goto(`${stack.base_url}/dashboard`)
        await logIn(page, { email, password })
        await page.getByRole('heading', { name: 'Home' }).waitFor()
      })
      expect(missed).toEqual([])
    },
    browsers[hand],
  )
})
