import type { Page } from 'playwright-core'
import { payable } from './payables.ts'
import { openTab, screen } from './payer-browser.ts'
import { browser, ownServerAndBrowser, server } from './payer-world.ts'

ownServerAndBrowser()

/** A quarter of the CLS threshold for *good*. Includes shifts right after input, unlike CLS. */
const mostShift = 0.02

/** Sums up every layout shift since the page's navigation. */
function watchShifts(page: Page) {
  return page.addInitScript(() => {
    const shifts: string[] = []
    let total = 0
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        sources: { node?: Element }[]
      })[]) {
        total += entry.value
        const moved = entry.sources.map(({ node }) => node && `${node.localName}.${node.className}`)
        shifts.push(`${entry.value.toFixed(4)} ${moved}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
    Object.assign(globalThis, { shiftsSoFar: () => ({ total, shifts }) })
  })
}

/** Layout shifts are reported after their frame. */
async function shiftsOf(page: Page): Promise<{ total: number; shifts: string[] }> {
  await page.evaluate(
    () => new Promise<void>(resolve => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  )
  return page.evaluate('shiftsSoFar()')
}

test.each([320, 1280])('does not shift the layout at %s px when the script is late', async width => {
  const offer = server.offer(payable())
  const { page, complaints, close } = await openTab(browser, server.origin, { viewport: { width, height: 800 } })
  await watchShifts(page)
  const scriptIsLate = Promise.withResolvers<void>()
  await page.route('**/*.js', async route => {
    await scriptIsLate.promise
    await route.continue()
  })
  await page.goto(offer.url, { waitUntil: 'commit' })
  await page.locator('.skeleton .bone-button').waitFor()
  await page.screenshot()
  setTimeout(scriptIsLate.resolve, 2000)
  await screen(page, 'form')
  const loaded = await shiftsOf(page)
  expect(loaded).toEqual({ total: expect.any(Number), shifts: loaded.total < mostShift ? expect.anything() : [] })

  await page.locator('#number').fill('4242 4242 4242 4241')
  await page.locator('#expiry').fill('01/20')
  await page.locator('#cvc').fill('1')
  await page.locator('#holder').fill('1')
  await page.locator('#email').fill('ana@')
  await page.locator('.pay-button').click()
  await page.locator('#number[aria-invalid=true]').waitFor()
  const typed = await shiftsOf(page)
  expect(typed).toEqual({ total: expect.any(Number), shifts: typed.total < mostShift ? expect.anything() : [] })
  expect(complaints).toEqual([])
  await close()
})

test('explains without scripts why it cannot accept a payment', async () => {
  const offer = server.offer(payable())
  const { page, close } = await openTab(browser, server.origin, { javaScriptEnabled: false })
  await page.goto(offer.url)
  await page.locator('.no-script').waitFor()
  expect(await page.locator('.no-script').textContent()).toMatch(/JavaScript/)
  await close()
})

test('shows no form if the script cannot be loaded', async () => {
  const offer = server.offer(payable())
  const { page, close } = await openTab(browser, server.origin)
  await page.route('**/*.js', route => route.abort())
  await page.goto(offer.url)
  expect(await page.locator('.skeleton').isVisible()).toBe(true)
  expect(await page.locator('button, input').count()).toBe(0)
  await close()
})
