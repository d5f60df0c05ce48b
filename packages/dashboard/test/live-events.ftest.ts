import type { BrowserContext, Page, Request } from 'playwright-core'
import { listTexts } from '../src/text/list-texts.ts'
import type { ScriptedService } from './scripted-service.ts'
import { useScriptedTab } from './scripted-tab.ts'
import { answerOf, merchantId } from './service-answers.ts'

const { es: texts } = listTexts
const payment = answerOf('getTransaction').data

let service: ScriptedService
let page: Page
let context: BrowserContext
useScriptedTab(opened => {
  ;({ service, page } = opened)
  context = page.context()
})

/** The lifecycles of the events of the feed, whose sequences begin with 1, and the calls that wait for the next one. */
const feed: string[] = []
let floor = 1
let waiting: (() => void)[] = []
const happen = (...correlations: string[]) => {
  feed.push(...correlations)
  for (const answer of waiting.splice(0)) answer()
}
const correlationOf = (number: number) => `corr_01kdvc4x2m8p6q7r9s0t${String(number).padStart(6, '0')}`

beforeEach(async () => {
  feed.length = 0
  floor = 1
  waiting = []
  await context.route(/\/api\/webhook-events\?/, async route => {
    const { searchParams } = new URL(route.request().url())
    const named = searchParams.get('after')
    const after = named === 'latest' ? feed.length : Number(named ?? floor - 1)
    if (after < floor - 1) return route.fulfill({ status: 410, json: { error: 'gone' } })
    if (searchParams.has('wait') && after === feed.length) await new Promise<void>(resolve => waiting.push(resolve))
    const data = feed.slice(after, after + Number(searchParams.get('limit'))).map((correlation_id, at) => {
      const sequence = after + at + 1
      const event = 'payment.approved'
      return { sequence, id: `evt_${sequence}`, event, correlation_id, payload: JSON.stringify({ event }) }
    })
    const json = { data, after, through: after + data.length, head: feed.length, floor }
    // The page may have left.
    await route.fulfill({ json }).catch(() => undefined)
  })
})
afterEach(() => context.unrouteAll({ behavior: 'ignoreErrors' }))

const isWaiting = (request: Request) => /webhook-events\?.*wait=/.test(request.url())
const button = (name: string, on = page) => on.locator('main').getByRole('button', { name, exact: true })
const addressOf = (path: string) => `${service.origin}/dashboard/${merchantId}/${path}`

/** Opens a screen, and waits until it follows the feed. */
async function open(path: string, shown: string): Promise<void> {
  const follows = page.waitForRequest(isWaiting)
  await page.goto(addressOf(path))
  await page.locator(shown).first().waitFor()
  await follows
}

const turn = (on: Page, state: 'hidden' | 'visible') =>
  on.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)

/** Leaves the tab for another one. */
async function leave(): Promise<void> {
  const ends = page.waitForEvent('requestfailed', isWaiting)
  await turn(page, 'hidden')
  await ends
}

test('a list says what has changed while it was in the background', async () => {
  await open('payments', 'main tbody tr')
  await leave()
  happen(correlationOf(1), correlationOf(2))
  await turn(page, 'visible')
  await button(texts.changed(2)).waitFor()
})

test('a payment is read again if it has changed while it was in the background', async () => {
  await open(`payments/${payment.id}`, 'main h1')
  await leave()
  happen(correlationOf(1), payment.correlation_id, correlationOf(2))
  const read = page.waitForRequest(/\/api\/transactions\/txn_\w+$/)
  await turn(page, 'visible')
  await read
})

test('a list that was opened in the background says what has changed since then', async () => {
  await open('payments', 'main tbody tr')
  const other = await context.newPage()
  await other.addInitScript(
    `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`,
  )
  const start = other.waitForResponse(/\/api\/webhook-events\?/)
  await other.goto(addressOf('payments'))
  await (await start).finished()
  await other.locator('main tbody tr').first().waitFor()
  await leave()
  happen(correlationOf(1))
  await turn(other, 'visible')
  await button(texts.changed(1), other).waitFor()
  // The tab in the background knows it too, and counts it once.
  await button(texts.changed(1)).waitFor()
  await turn(other, 'hidden')
  await turn(page, 'visible')
  happen(correlationOf(2))
  await button(texts.changed(2)).waitFor()
  await other.close()
})

test('a list that was away for longer than events are kept is read again', async () => {
  await open('payments', 'main tbody tr')
  await leave()
  happen(correlationOf(1), correlationOf(2))
  floor = 3
  const read = page.waitForRequest(/\/api\/transactions\?/)
  await turn(page, 'visible')
  await read
})

test('a list counts no more than five hundred changes', async () => {
  await open('payments', 'main tbody tr')
  happen(...Array.from({ length: 500 }, (_, at) => correlationOf(at)))
  await button(texts.changed(500)).waitFor()
  happen(correlationOf(500), correlationOf(501))
  await button(texts.changedMore(500)).waitFor()
})
