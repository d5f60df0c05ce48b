import type { Locator, Page } from 'playwright-core'
import { homeTexts } from '../src/text/home-texts.ts'
import { shellTexts } from '../src/text/shell-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId, operationOf } from './service-answers.ts'

const { en: texts } = homeTexts
const { en: shell } = shellTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(
  opened => {
    ;({ service, tab, page } = opened)
  },
  { locale: 'en-US' },
)

const panel = (name: string) => page.getByRole('region', { name, exact: true })
const open = () => page.goto(`${service.origin}/dashboard/${merchantId}`)

/** The payments of a day in Mexico City until half past ten, with ten thousand cents in each hour that has begun. */
function reportDay(change: object = {}): void {
  const { data } = answerOf('getPaymentReport')
  const sums = (hours: number) => ({ ...data.totals, approved_cents: hours * 10_000, refunded_cents: 0 })
  const hour = (after: number) => new Date(Date.parse('2026-11-26T06:00:00.000Z') + after * 3_600_000).toISOString()
  const rows = Array.from({ length: 24 }, (_, at) => ({
    ...{ ...data.rows[0], ...sums(at <= 10 ? 1 : 0), group: null, start: hour(at) },
  }))
  const period = { from: hour(0), to: hour(24), tz: 'America/Mexico_City', interval: 'hour', as_of: hour(10.5) }
  const compared = { to: hour(10), totals: sums(10), previous: sums(5) }
  const body = { ...data, ...period, rows, totals: sums(11), previous: sums(60), compared, ...change }
  service.answer('getPaymentReport', { body: { data: body } })
}

test('a day that has not ended is compared with the one before up to the same hour', async () => {
  reportDay()
  await open()
  const payments = panel(texts.paymentsTitle)
  const volume = payments.locator('dl > div').first().getByRole('link')
  await tab.check('until ten', payments.getByText(texts.summary.until('10:00')))
  expect(await payments.locator('p').first().textContent()).toContain(
    'Captured: $1,100.00 MXN, 100% more than in the period before. Compared up to 10:00.',
  )
  expect(await volume.allTextContents()).toEqual(['$1,100.00 MXN', 'Before, by 10:00: $500.00 MXN'])
  const { searchParams } = new URL(await volume.nth(1).evaluate((link: any) => link.href))
  expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
    '2026-11-25T06:00:00.000Z',
    '2026-11-25T15:59:59.999Z',
  ])
})

test('before an hour of the day has passed, nothing is more or less than the day before', async () => {
  const { totals } = answerOf('getPaymentReport').data
  reportDay({ compared: { to: '2026-11-26T06:00:00.000Z', totals, previous: totals } })
  await open()
  const payments = panel(texts.paymentsTitle)
  await payments.getByText(texts.before('$6,000.00 MXN', undefined)).waitFor()
  expect(await payments.locator('p').first().textContent()).toMatch(/^Captured: \$1,100.00 MXN\. Highest/)
})

test('the hour that has not ended is hatched and says so, and those to come have no bar', async () => {
  reportDay()
  await open()
  const payments = panel(texts.paymentsTitle)
  await tab.check('hatched', payments.getByText(shell.soFar, { exact: true }))
  const bars = payments.locator('[class*=plot] > div')
  const hatched = payments.locator('[data-open]')
  expect([await bars.count(), await bars.locator('a').count(), await hatched.count()]).toEqual([24, 11, 1])
  expect(await bars.nth(10).getAttribute('title')).toBe('10:00, so far: Captured $100.00 MXN')
  expect(await bars.nth(11).getAttribute('title')).toBeNull()
  const background = (bar: number) =>
    bars
      .nth(bar)
      .locator('a')
      .evaluate((part: any) => getComputedStyle(part).backgroundImage)
  expect([await background(9), await background(10)]).toEqual(['none', expect.stringContaining('gradient')])
  await page.emulateMedia({ forcedColors: 'active' })
  expect([await background(9), await background(10)]).toEqual(['none', expect.stringContaining('gradient')])
  await page.emulateMedia({ forcedColors: 'none' })
  await payments.getByText(shell.asTable).click()
  await payments.locator('tbody th').first().waitFor()
  const heads = await payments.locator('tbody th').allTextContents()
  expect(heads.slice(9)).toEqual(['09:00', '10:00, so far'])
})

/** Returns what the parts and names of a series look like apart from their colors, by tone. Evaluated in the browser. */
const looksOf = (parts: any[]) =>
  parts.map(part => {
    const { backgroundColor, backgroundImage, borderTopColor, borderTopWidth } = getComputedStyle(part)
    const isFilled = backgroundColor !== 'rgba(0, 0, 0, 0)'
    const image = backgroundImage.replaceAll(/rgba?\([^)]*\)/g, '')
    const page = getComputedStyle(document.body).backgroundColor
    const isSeen = (isFilled ? backgroundColor : borderTopColor) !== page
    const look = JSON.stringify([isFilled, image, borderTopWidth])
    return { tone: part.dataset.tone, isOpen: 'open' in part.dataset, look, isSeen }
  })

test.each(['none', 'active'] as const)(
  'no two series differ by color alone, where colors are forced: %s',
  async forced => {
    await page.emulateMedia({ forcedColors: forced })
    await open()
    for (const name of [texts.refundsAndDisputes, texts.webhooks]) {
      await panel(name).locator('[class*=plot] a').first().waitFor()
      const parts = await panel(name).locator('dt [data-tone], [class*=plot] a').evaluateAll(looksOf)
      expect(parts.filter(({ isSeen }) => !isSeen)).toEqual([])
      // Two tones, and two more for the hour that has not ended.
      const looks = new Map(parts.map(({ tone, isOpen, look }) => [`${tone}${isOpen ? ', open' : ''}`, look]))
      expect([looks.size, new Set(looks.values()).size]).toEqual([4, 4])
      // The names look like the bars that have ended.
      expect(new Set(parts.map(({ tone, isOpen, look }) => `${tone} ${isOpen} ${look}`)).size).toBe(4)
    }
    await page.emulateMedia({ forcedColors: 'none' })
  },
)

test('both hours of the night on which clocks go back have a bar and a name', async () => {
  const at = (hour: number) => new Date(Date.parse('2026-10-24T22:00:00.000Z') + hour * 3_600_000).toISOString()
  const { data } = answerOf('getPaymentReport')
  const rows = Array.from({ length: 25 }, (_, hour) => ({ ...data.rows[0], group: null, start: at(hour) }))
  const day = { from: at(0), to: at(25), tz: 'Europe/Madrid', interval: 'hour', as_of: at(26), rows }
  reportDay({ ...day, compared: { ...data.compared, to: at(25) } })
  await open()
  const payments = panel(texts.paymentsTitle)
  await payments.getByText(shell.asTable).click()
  const heads = payments.locator('tbody th')
  await heads.first().waitFor()
  expect((await heads.allTextContents()).slice(1, 5)).toEqual(['01:00', '02:00 GMT+2', '02:00 GMT+1', '03:00'])
  expect(await payments.locator('[class*=plot] > div').count()).toBe(25)
})

const { attention } = texts
const section = () => panel(attention.title)
const nothing = (id: string) => ({ body: { ...answerOf(id), data: [], count: 0 } })

test('open disputes are listed with what an answer needs, and lead to their payments', async () => {
  const answer = answerOf('listDisputes')
  const disputes = Array.from({ length: 5 }, (_, at) => ({
    ...{ ...answer.data[0], id: `${answer.data[0].id.slice(0, -1)}${at}`, status: 'open', reason: `reason ${at}` },
    ...{ amount_cents: 25_000 + at, due_by: at === 4 ? null : `2026-12-0${at + 1}T06:00:00.000Z` },
  }))
  service.answer('listDisputes', { body: { ...answer, data: disputes, count: 7 } })
  await open()
  const links = section().getByRole('link', { name: /^Dispute/ })
  await tab.check('disputes', links)
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN
  expect(await topOf(section())).toBeLessThan(await topOf(panel(texts.paymentsTitle)))
  const said = await links.allTextContents()
  expect([said.length, said[0], said[4]]).toEqual([
    5,
    attention.dispute('$250.00 MXN', 'reason 0', 'Dec 1, 2026, 12:00 AM'),
    attention.dispute('$250.04 MXN', 'reason 4', null),
  ])
  const all = [...disputes, { ...disputes[4], id: `${answer.data[0].id.slice(0, -1)}5` }]
  service.answer('listDisputes', { body: { ...answer, data: all, count: 7 } })
  const asked = page.waitForRequest(/\/api\/disputes\?.*limit=100/)
  await section()
    .getByRole('button', { name: attention.moreDisputes(2) })
    .click()
  await asked
  await section().getByText(attention.moreDisputes(1), { exact: true }).waitFor()
  expect(await links.count()).toBe(6)
  await links.first().click()
  await page.waitForURL(`**/payments/${disputes[0].transaction_id}`)
})

test('what needs attention is read again while home is open, and says what could not be read', async () => {
  const lists = ['listDisputes', 'listWebhooks', 'listTransactions']
  for (const id of lists) service.answer(id, nothing(id))
  const { data } = answerOf('getWebhookReport')
  service.answer('getWebhookReport', { body: { data: { ...data, totals: { ...data.totals, exhausted: 0 } } } })
  const read = Promise.all(
    lists.map(id => page.waitForResponse(answer => answer.url().includes(`${operationOf(id).path}?`))),
  )
  await open()
  await panel(texts.paymentsTitle).locator('dl').waitFor()
  await read
  expect(await section().count()).toBe(0)

  service.usual('listWebhooks')
  await page.clock.runFor(31_000)
  await section()
    .getByText(attention.disabledWebhooks(answerOf('listWebhooks').count))
    .waitFor()

  for (const id of ['listDisputes', 'listTransactions']) service.answer(id, { error: 'internal_error' })
  const unread = section().getByText(attention.unread(`${attention.lists.disputes}, ${attention.lists.refunds}`))
  await forwardUntil(page, unread)
  await tab.check('unread', unread)
  for (const id of ['listDisputes', 'listTransactions']) service.usual(id)
  await section().getByRole('button', { name: shell.retry }).click()
  await unread.waitFor({ state: 'detached' })
  await section()
    .getByRole('link', { name: /^Dispute/ })
    .first()
    .waitFor()
  await section()
    .getByText(attention.failedRefunds(answerOf('listTransactions').count))
    .waitFor()
})

test('a report that cannot be read for what needs attention holds nothing back while it is repeated', async () => {
  service.answer('getWebhookReport', { error: 'unavailable' })
  await open()
  const payments = panel(texts.paymentsTitle)
  await payments.waitFor()
  service.answer('getWebhookReport', 'held')
  const repeated = page.waitForRequest(/\/api\/reports\/webhooks\?/)
  await page.clock.runFor(70_000)
  await repeated
  await page.clock.runFor(1_000)
  expect(await payments.isVisible()).toBe(true)
})
