import { cutOff } from './page-checks.ts'
import { logoUrl, type PageState, pageStates } from './page-states.ts'
import { encodeWithPalette } from './palette-png.ts'
import { readAt } from './payables.ts'
import { openTab, type PayerTab } from './payer-browser.ts'
import { browser, ownServerAndBrowser, server } from './payer-world.ts'
import { sketchScreenshot } from './screenshot-sketch.ts'
import { differences, readCommitted, takeScreenshot, writeCommitted } from './screenshots.ts'
import { wcagFaults } from './wcag-faults.ts'

ownServerAndBrowser()

const allSizes = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]
/** Without --long only the narrowest size is tested, where content is most likely not to fit. */
const sizes = process.env.COBRO_TEST_LONG === '1' || process.env.UPDATE_SCREENS ? allSizes : allSizes.slice(0, 1)

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#0a5" d="M0 0h8v8H0z"/><path fill="#fff" d="M2 2h4v4H2z"/></svg>'

/** All states use one tab, because opening one takes longer than testing a state. */
let tab: PayerTab

beforeAll(async () => {
  tab = await openTab(browser, server.origin)
  // A slow machine then changes no countdown and no message about a slow payment.
  await tab.page.clock.setFixedTime(readAt)
  await tab.page.route(logoUrl, route => route.fulfill({ contentType: 'image/svg+xml', body: logo }))
})

/**
 * Leaves the previous state, without its media, connection and complaints, and opens another one.
 */
async function openState({ offer: payable, script, status = 200, path, steps, shows }: PageState) {
  const { page } = tab
  await page.goto('about:blank')
  await page.emulateMedia({ media: null, colorScheme: null })
  await page.context().setOffline(false)
  await page.setViewportSize(sizes[0]!)
  tab.complaints.length = 0

  const offer = server.offer(payable)
  if (script) offer.scripts.push(script)
  offer.readStatus = status
  offer.streamStatus = status
  await page.goto(path ? server.origin + path : offer.url)
  await steps?.(page, offer)
  await page.locator(shows).first().waitFor()
  // Moves the mouse away, because hovering changes the look of buttons.
  await page.mouse.move(0, 0)
}

test.each(Object.entries(pageStates))(
  'the page state %s fits every viewport, is accessible and matches its screenshot',
  async (name, state) => {
    await openState(state)
    const faults: Record<string, string[]> = {}
    for (const size of sizes) {
      await tab.page.setViewportSize(size)
      const screenshot = await takeScreenshot(tab.page)
      const file = `${name}-${size.width}`
      if (process.env.UPDATE_SCREENS) await writeCommitted(file, encodeWithPalette(screenshot))
      const [committed, cut, inaccessible] = await Promise.all([
        readCommitted(file),
        cutOff(tab.page),
        wcagFaults(tab.page),
      ])
      const different = differences(sketchScreenshot(screenshot), sketchScreenshot(committed))
      const found = [...different, ...cut, ...inaccessible]
      if (found.length > 0) faults[file] = found
    }
    const blockedRequests = state.offer.logo_url ? [`request to ${logoUrl}`] : []
    expect({ ...faults, complaints: tab.complaints }).toEqual({ complaints: blockedRequests })
  },
)

test.each([
  ['card-form', 'declined'],
  ['card-form', 'processing'],
  ['card-form', 'brand-yellow'],
  ['card-form', 'loading'],
  ['processing', 'paid'],
])('the screenshot comparison distinguishes the page state %s from %s', async (one, other) => {
  for (const { width } of sizes) {
    const [first, second] = await Promise.all(
      [one, other].map(async name => sketchScreenshot(await readCommitted(`${name}-${width}`))),
    )
    expect(differences(first!, second!)).not.toEqual([])
  }
})

test.each(['declined', 'paid'])('the screenshot comparison accepts the page state %s in another font', async name => {
  await openState(pageStates[name]!)
  await tab.page.evaluate(() => document.documentElement.style.setProperty('--font', 'serif'))
  for (const size of sizes) {
    await tab.page.setViewportSize(size)
    const taken = sketchScreenshot(await takeScreenshot(tab.page))
    const committed = sketchScreenshot(await readCommitted(`${name}-${size.width}`))
    expect(differences(taken, committed)).toEqual([])
  }
})
