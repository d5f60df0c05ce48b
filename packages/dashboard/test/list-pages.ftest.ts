import type { Page } from 'playwright-core'
import { listTexts } from '../src/text/list-texts.ts'
import { paymentsTexts } from '../src/text/payments-texts.ts'
import { type DashboardTab, forwardUntil } from './dashboard-tab.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: texts } = listTexts

let service: ScriptedService
let tab: DashboardTab
let page: Page
useScriptedTab(opened => {
  ;({ service, tab, page } = opened)
})
afterEach(() => page.unrouteAll({ behavior: 'ignoreErrors' }))

const example = answerOf('listTransactions').data[0]
const main = () => page.locator('main')
const rows = () => main().locator('section[aria-busy=false] tbody tr')
const footer = (text: string) => main().getByText(text, { exact: true })
const button = (name: string) => main().getByRole('button', { name, exact: true })
const idOf = (number: number) => `txn_01kdvc4x2m8p6q7r9s0t${String(number).padStart(6, '0')}`

/** The calls for payments and for their number, as they came. */
const asked: string[] = []
let isCounted: Promise<void>
let count: () => void

/** Answers with so many payments. Their number comes once the test counts them. */
async function openList(total: number, path = 'payments'): Promise<void> {
  asked.length = 0
  isCounted = new Promise(resolve => {
    count = resolve
  })
  await page.route(/\/api\/transactions\?/, async route => {
    const { searchParams } = new URL(route.request().url())
    const offset = Number(searchParams.get('offset'))
    const limit = Number(searchParams.get('limit'))
    const isCount = searchParams.get('count') === 'exact'
    asked.push(isCount ? `count ${searchParams.get('status') ?? ''}`.trim() : `rows from ${offset}`)
    if (isCount) await isCounted
    const found = Math.max(0, Math.min(limit, total - offset))
    const data = Array.from({ length: found }, (_, at) => ({ ...example, id: idOf(offset + at) }))
    const hasNext = offset + limit < total
    await route.fulfill({
      json: { data, count: isCount ? total : null, limit, offset },
      headers: hasNext ? { link: `</api/transactions?cursor=1-${idOf(offset + found)}>; rel="next"` } : {},
    })
  })
  await page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
}

test('rows and pages wait for no count, which is asked for once and moves nothing', async () => {
  await openList(120)
  await footer(texts.rows('1', '50', '…')).waitFor()
  expect(await rows().count()).toBe(50)
  await button(texts.next).click()
  await footer(texts.rows('51', '100', '…')).waitFor()
  await page.goBack()
  await footer(texts.rows('1', '50', '…')).waitFor()
  const place = () =>
    main()
      .getByText(/^1–50 de /)
      .boundingBox()
  const nextAt = () => button(texts.next).boundingBox()
  const [before, next] = [await place(), await nextAt()]
  count()
  await footer(texts.rows('1', '50', '120')).waitFor()
  expect([(await place())?.x, (await place())?.y, await nextAt()]).toEqual([before?.x, before?.y, next])
  await button(texts.next).click()
  await footer(texts.rows('51', '100', '120')).waitFor()
  await button(texts.next).click()
  await footer(texts.rows('101', '120', '120')).waitFor()
  expect(await button(texts.next).isDisabled()).toBe(true)
  expect(asked.filter(call => call.startsWith('count'))).toEqual(['count'])
  await page.goBack()
  await footer(texts.rows('51', '100', '120')).waitFor()
})

test('other filters are counted again, and a page with all rows counts itself', async () => {
  await openList(60)
  count()
  await footer(texts.rows('1', '50', '60')).waitFor()
  await main().getByLabel(paymentsTexts.es.status).selectOption('declined')
  await forwardUntil(page, footer(texts.rows('1', '50', '60')))
  expect(asked.slice(2)).toEqual(['rows from 0', 'count declined'])

  await openList(50)
  await tab.check('one page', footer(texts.rows('1', '50', '50')))
  expect([await button(texts.next).isDisabled(), asked]).toEqual([true, ['rows from 0']])
})

test('a text that was typed and not sent is applied with the next filter, and goes with the filters', async () => {
  await openList(3)
  const field = main().getByRole('searchbox')
  await rows().first().waitFor()
  await field.fill(' A-1042 ')
  await main().getByLabel(paymentsTexts.es.status).selectOption('declined')
  await page.waitForURL(/\?(?=.*status=declined)(?=.*search=A-1042)/)
  await field.fill('A-1043')
  await button(texts.clear).click()
  await page.waitForURL(/\/payments$/)
  expect(await field.inputValue()).toBe('')

  await field.fill('A-1044')
  await field.press('Enter')
  await page.waitForURL(/\?search=A-1044$/)
})

test('a list ends at ten thousand rows, and says so', async () => {
  await openList(1_204_331, 'payments?page=900000')
  count()
  const end = `${texts.rows('9,951', '10,000', '1,204,331')} ${texts.goesNoFurther}`
  await tab.check('the last page', footer(end))
  expect([await button(texts.next).isDisabled(), asked[0]]).toEqual([true, 'rows from 9950'])
  await button(texts.previous).click()
  await page.waitForURL(/\?page=199$/)
})

test('the address of a page that is gone leads to the first one, with its filters', async () => {
  await openList(3, 'payments?status=declined&page=7')
  await tab.check('no such page', main().getByText(texts.noSuchPage))
  await button(texts.firstPage).click()
  await page.waitForURL(/\/payments\?status=declined$/)
  await footer(texts.rows('1', '3', '3')).waitFor()
})

describe('the button of what has changed', () => {
  let head = 41
  const waiting: ((correlations: number[]) => void)[] = []
  const due: number[][] = []

  /** Answers calls that wait for events with those of the test. */
  const follow = () =>
    page.route(/\/api\/webhook-events\?.*wait=/, async route => {
      const correlations = due.shift() ?? (await new Promise<number[]>(resolve => waiting.push(resolve)))
      const after = head
      const payload = JSON.stringify({ event: 'payment.approved' })
      const data = correlations.map(correlation => {
        const sequence = ++head
        const correlation_id = `corr_01kdvc4x2m8p6q7r9s0t${String(correlation).padStart(6, '0')}`
        return { sequence, id: `evt_${sequence}`, event: 'payment.approved', correlation_id, payload }
      })
      const body = { ...answerOf('listWebhookEvents'), data, after, through: head }
      await route.fulfill({ json: body }).catch(() => undefined)
    })
  /** Sends the page events of these payments in one answer. */
  const happen = (...correlations: number[]) => {
    const next = waiting.pop()
    if (next) next(correlations)
    else due.push(correlations)
  }
  const open = async (path: string) => {
    waiting.length = 0
    head = 41
    service.answer('listWebhookEvents', {
      body: { ...answerOf('listWebhookEvents'), data: [], after: head, through: head, head },
    })
    await follow()
    await page.goto(`${service.origin}/dashboard/${merchantId}/${path}`)
    await rows().first().waitFor()
  }

  test('counts payments, and goes when the list was read again', async () => {
    await open('payments')
    happen(1)
    await button(texts.changed(1)).waitFor()
    happen(1)
    happen(2, 3)
    await tab.check('three changes', button(texts.changed(3)))
    await main().getByLabel(paymentsTexts.es.status).selectOption('declined')
    await page.waitForURL(/status=declined/)
    await button(texts.changed(3)).waitFor({ state: 'detached' })
    await rows().first().waitFor()
    expect(await button(texts.mayHaveChanged).count()).toBe(0)

    happen(4)
    await tab.check('perhaps another row', button(texts.mayHaveChanged))
    const before = service.calls.length
    await button(texts.mayHaveChanged).click()
    await button(texts.mayHaveChanged).waitFor({ state: 'detached' })
    expect(service.calls.slice(before)).toContain('listTransactions')
  })

  test('knows no number of deliveries, nor of a later page', async () => {
    for (const path of ['deliveries', 'payments?page=2']) {
      await open(path)
      happen(1)
      await button(texts.mayHaveChanged).waitFor()
    }
  })
})
