import type { Page } from 'playwright-core'
import { homeTexts } from '../src/text/home-texts.ts'
import type { DashboardTab } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { merchantId, operationOf, usualAnswer } from './service-answers.ts'

const { en: texts } = homeTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(
  opened => {
    ;({ service, tab } = opened)
    page = tab.page
  },
  { locale: 'en-US' },
)

const answerOf = (id: string) => usualAnswer(operationOf(id))
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
